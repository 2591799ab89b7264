/** The page's words, translated by the server and handed over as data. */

const words = JSON.parse(document.getElementById("words").textContent);

/**
 * @param {string} key
 * @param {Record<string, string | number>} [values] what to put in place of `{name}`
 * @returns {string}
 */
export function say(key, values = {}) {
  const text = words[key] ?? "";
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Is there a text under this key? */
export function knows(key) {
  return key in words;
}

/** How long it still takes: in questions where few are left, else in minutes (as words.py says it). */
export function timeLeft(questions, minutes) {
  const after = Math.max(questions - 1, 0);
  if (after < 3) return say(["last_question", "one_question_left", "few_questions_left"][after], { questions: after });
  return say(minutes <= 1 ? "one_minute_left" : "minutes_left", { minutes });
}
