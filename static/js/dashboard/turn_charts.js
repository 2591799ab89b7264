/* What was measured and chosen over the turns, as charts; the table beside them holds the same. */

import { pictureButtons } from "./downloads.js";

function theme() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  return {
    ink: value("--ink-2"),
    line: value("--line"),
    paper: value("--paper"),
    colours: [value("--brand"), value("--level-3")],
    font: getComputedStyle(document.body).fontFamily,
  };
}

function base(look, over, yAxis) {
  const text = { color: look.ink, fontFamily: look.font, fontSize: 12 };
  const axis = {
    axisLabel: text,
    nameTextStyle: text,
    axisLine: { lineStyle: { color: look.line } },
    splitLine: { lineStyle: { color: look.line } },
  };
  return {
    animation: false,
    backgroundColor: look.paper,
    color: look.colours,
    textStyle: text,
    legend: { textStyle: text, top: 0, left: 0, icon: "roundRect" },
    // Rich text is drawn: an element with a style of its own is what the page's policy forbids.
    tooltip: { trigger: "axis", renderMode: "richText", confine: true },
    grid: { left: 8, right: 12, top: 34, bottom: 8, containLabel: true },
    xAxis: { type: "category", data: over.turns.map(String), name: "turn", nameLocation: "middle", nameGap: 26, ...axis },
    yAxis: { ...axis, ...yAxis },
  };
}

/* The second line is dashed, so that colour is never the only sign. */
function line(name, values, dashed) {
  return {
    type: "line",
    name,
    data: values,
    connectNulls: false,
    symbol: dashed ? "diamond" : "circle",
    symbolSize: 7,
    lineStyle: { width: 2, type: dashed ? "dashed" : "solid" },
  };
}

const OPTIONS = {
  saturation: (look, over) => ({
    ...base(look, over, { type: "value", min: 0, max: 1 }),
    series: [line("saturation", over.saturation, false), line("share of new concepts", over.newness, true)],
  }),
  signals: (look, over, chosen) => {
    const signal = over.signals[chosen] ?? { name: "nothing was measured", values: [] };
    return { ...base(look, over, { type: "value" }), series: [line(signal.name, signal.values, false)] };
  },
  strategy: (look, over) => {
    const names = [...new Set(over.strategy)];
    return {
      ...base(look, over, { type: "category", data: names, splitLine: { show: true, lineStyle: { color: look.line } } }),
      legend: { show: false },
      series: [
        {
          type: "line",
          name: "strategy",
          step: "middle",
          data: over.strategy.map((name) => names.indexOf(name)),
          symbol: "rect",
          symbolSize: 9,
          lineStyle: { width: 1, type: "dotted" },
        },
      ],
    };
  },
};

/* Draws the three charts of `section`; a click on a turn chooses it. */
export function drawTurnCharts(echarts, section, first, onTurn) {
  let over = first;
  let shown = 0;
  const select = section.querySelector("[data-signal]");
  const charts = new Map();

  function option(kind) {
    return OPTIONS[kind](theme(), over, Number(select.value) || 0);
  }

  function fill() {
    const was = select.value;
    select.replaceChildren(...over.signals.map((signal, at) => new Option(signal.name, String(at))));
    if (was && over.signals[was]) select.value = was;
  }

  function draw() {
    for (const [kind, chart] of charts) chart.setOption(option(kind), true);
    mark();
  }

  /* The chosen turn as an upright line through each chart. */
  function mark() {
    const at = over.turns.indexOf(shown);
    for (const chart of charts.values()) {
      chart.setOption({
        series: [
          {
            markLine: {
              silent: true,
              symbol: "none",
              label: { show: false },
              lineStyle: { color: theme().ink, type: "solid", width: 1 },
              data: at < 0 ? [] : [{ xAxis: at }],
            },
          },
        ],
      });
    }
  }

  function svg(kind) {
    const size = { width: 720, height: 360 };
    const drawing = echarts.init(null, null, { renderer: "svg", ssr: true, ...size });
    drawing.setOption(option(kind));
    const text = drawing.renderToSVGString();
    drawing.dispose();
    return text;
  }

  fill();
  for (const figure of section.querySelectorAll("[data-chart]")) {
    const kind = figure.dataset.chart;
    const chart = echarts.init(figure.querySelector(".chart__draw"), null, { renderer: "canvas" });
    charts.set(kind, chart);
    chart.getZr().on("click", (event) => {
      const [at] = chart.convertFromPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]) ?? [];
      if (over.turns[Math.round(at)] !== undefined) onTurn(over.turns[Math.round(at)]);
    });
    figure.querySelector(".chart__head").append(
      ...pictureButtons(`${kind}-over-turns`, `${kind} over turns`, {
        svg: () => svg(kind),
        png: () => chart.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: theme().paper }),
      }),
    );
    new ResizeObserver(() => chart.resize()).observe(figure);
  }
  select.addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
  section.dataset.drawn = String(over.turns.length);
  return {
    show(turn) {
      shown = turn;
      mark();
    },
    update(next) {
      over = next;
      fill();
      draw();
      section.dataset.drawn = String(over.turns.length);
    },
  };
}
