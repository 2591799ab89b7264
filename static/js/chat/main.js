/** The interview page: joins the connection, the conversation, the box and what is around them. */

import { Blocks } from "./blocks.js";
import { Composer } from "./composer.js";
import { Connection } from "./connection.js";
import { Dictation } from "./dictation.js";
import { Display } from "./display.js";
import { keepInSight } from "./frame.js";
import { Memory, newId } from "./memory.js";
import { Notice } from "./notice.js";
import { Outbox } from "./outbox.js";
import { Revising } from "./revising.js";
import { Speaker } from "./speaker.js";
import { Transcript } from "./transcript.js";
import { Waiting } from "./waiting.js";
import { knows, say, timeLeft } from "./words.js";
import "./own_link.js";

const element = (id) => document.getElementById(id);
const chat = element("chat");
const memory = new Memory(chat.dataset.session);
const transcript = new Transcript(element("thread"), element("scroller"));
const connection = new Connection(chat.dataset.socket, () => transcript.lastSeq);
const notice = new Notice(element("notice"));
const waiting = new Waiting(element("waiting"), {
  onRetry: () => ask("retry"),
  onMore: goOn,
  onAll: () => ask("release") && composer.focus(),
});
const outbox = new Outbox({ connection, memory, onRefused: giveBack, onSlow: () => connection.restart() });
const composer = new Composer(element("composer"), {
  limit: Number(chat.dataset.limit),
  memory,
  onAnswer: (item) => answer(revising.asChange(item)),
});
const revising = new Revising(element("thread"), {
  composer,
  banner: element("changing"),
  onTakeBack: (id) => ask("withdraw", { client_message_id: id }),
});
const blocks = new Blocks(element("thread"), element("again"), element("card-dialog"), answer);
const speaker = new Speaker(element("aloud"), element("aloud-choice"), () => transcript.newestQuestion);
const dictation = new Dictation(element("dictate"), {
  note: element("dictation-note"),
  line: element("listening"),
  composer,
  onStart: () => speaker.stop(),
});
new Display(element("display-dialog"), element("display"), (name) => {
  if (name === "aloud") speaker.stop();
  dispatchEvent(new Event("resize")); // the box is as high as its letters
  transcript.stay();
});
const progress = element("progress");
const newer = element("newer");
const skip = element("skip");
const replies = element("replies");
const endDialog = element("end-dialog");
let pending = chat.dataset.pending || null;
let leaving = null;
const { title } = document;
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) document.title = title;
});

// --- what the respondent does ---------------------------------------------------------------------
function answer(item) {
  leaving = null; // whoever goes on writing stays
  speaker.stop();
  dictation.stop();
  transcript.addUnsent(item.id, item.text);
  transcript.showNewest();
  outbox.add(item);
  refresh();
}

/** Ask for something that only makes sense now; it is not kept for later. */
function ask(type, details) {
  const sent = connection.send({ type, ...details });
  if (!sent) notice.show(say("not_connected"));
  return sent;
}

/** Not finished yet: the next question is to wait, and the cursor is where the rest is written. */
function goOn() {
  ask("hold");
  composer.focus();
}

/** Pause or end: the wish is kept until the page is connected and all that was written is saved. */
function leave(type) {
  leaving = type;
  if (connection.ready) goIfSaved();
  else notice.show(say(type === "pause" ? "pause_offline" : "end_offline"));
}

function goIfSaved() {
  if (leaving && outbox.empty) connection.send({ type: leaving });
}

skip.addEventListener("click", () => {
  answer({ id: newId(), text: say("skip_answer") });
  composer.focus();
});
for (const button of replies.querySelectorAll("[data-say]")) {
  button.addEventListener("click", () => {
    answer({ id: newId(), text: say(button.dataset.say) });
    composer.focus();
  });
}
element("pause").addEventListener("click", () => leave("pause"));
element("end").addEventListener("click", () => {
  endDialog.returnValue = "";
  for (const part of ["end-draft", "end-send"]) element(part).hidden = !composer.hasDraft;
  endDialog.showModal();
});
endDialog.addEventListener("close", () => {
  const { returnValue: choice } = endDialog;
  if (choice === "end" || (choice === "send" && composer.send())) leave("end");
});
newer.addEventListener("click", () => {
  transcript.showNewest();
  composer.focus();
});
// A picture that comes late makes its card higher: who was at the newest words stays there.
element("thread").addEventListener("load", () => transcript.stay(), { capture: true });
element("scroller").addEventListener("scroll", () => {
  if (transcript.atEnd) newer.hidden = true;
}, { passive: true });

// --- what the server says -------------------------------------------------------------------------
const handlers = {
  snapshot({ utterances, state }) {
    utterances.forEach(hear);
    handlers.state(state);
  },
  utterance: hear,
  accepted({ client_message_id: id, seq }) {
    transcript.saved(id, seq);
    revising.saved(id);
    outbox.confirmed(id);
    goIfSaved();
  },
  state({ status, pending: now, progress: share, withdrawn = [], questions_left: questions, minutes_left: minutes }) {
    if (status !== "active") {
      moveOn(status);
      return;
    }
    const gone = transcript.withdraw(withdrawn);
    gone.forEach((id) => revising.withdrawn(id));
    if (gone.length) announce(say("taken_back"));
    progress.value = Math.max(progress.value, share);
    if (questions !== undefined) element("left").textContent = timeLeft(questions, minutes);
    pending = now;
    refresh();
  },
  error({ code, message, client_message_id: id, fields }) {
    if (revising.refused(id)) notice.show(words(code, message));
    else if (id) outbox.refused(id, code, message, fields);
    else if (code === "bad_frame") outbox.notUnderstood(code, message);
    else if (code === "turn_not_failed" || code === "nothing_to_hold") refresh();
    else {
      leaving = null;
      notice.show(words(code, message));
    }
  },
};

function hear(said) {
  const wasAtEnd = transcript.atEnd;
  if (said.client_message_id) outbox.confirmed(said.client_message_id);
  if (!transcript.add(said) || said.speaker !== "interviewer") return;
  pending = null;
  blocks.show(said);
  announce(`${say("interviewer")}: ${said.text}${Blocks.spoken(said.block)}`);
  speaker.hear(`${said.text}${Blocks.spoken(said.block)}`);
  if (wasAtEnd) transcript.showNewest();
  else newer.hidden = false;
  if (document.hidden) document.title = `${say("new_question")} · ${title}`;
  if (!endDialog.open && composer.mayTakeFocus) composer.focus();
  refresh();
}

/** Say it once to who listens; then take it away, so that it is not met again while reading. */
function announce(text) {
  element("announcer").textContent = text;
  setTimeout(() => {
    if (element("announcer").textContent === text) element("announcer").textContent = "";
  }, 5000);
}

/** The server refused an answer for good: it goes back into the box. */
function giveBack({ id, text, unkept }, code, message, fields) {
  transcript.remove(id);
  if (unkept) {
    blocks.complain(fields ?? {});
    notice.show(words(code, message));
  } else composer.giveBack(text, words(code, message));
  refresh();
}

function words(code, message) {
  return knows(code) && !say(code).includes("{") ? say(code) : message;
}

function refresh() {
  const first = transcript.lastSeq === 0 && outbox.empty;
  const busy = pending === "queued" || pending === "running";
  if (pending === "failed") waiting.failed(first);
  else if (pending === "held" && outbox.empty) waiting.held();
  else if (connection.ready && busy && outbox.empty) waiting.thinking(first, pending === "queued");
  else waiting.idle();
  transcript.unsentIs(say(connection.ready ? "sending" : "kept_here"));
  replies.hidden = transcript.waitsForQuestion;
  revising.offer();
}

/** Pause and end have pages of their own under this same address. */
function moveOn(status) {
  connection.close();
  if (status !== "paused") memory.forget();
  location.reload();
}

connection.addEventListener("frame", ({ detail: frame }) => handlers[frame.type]?.(frame));
connection.addEventListener("ready", () => {
  notice.clear();
  outbox.flush();
  goIfSaved();
  refresh();
});
connection.addEventListener("lost", ({ detail: { code } }) => {
  outbox.interrupted(code);
  notice.lost();
  refresh();
});
connection.addEventListener("refused", ({ detail: { reason } }) => {
  if (reason === "link") location.reload();
  else notice.show(say("too_many_tabs"));
});

// --- begin ----------------------------------------------------------------------------------------
keepInSight();
for (const item of memory.unsent) transcript.addUnsent(item.id, item.text);
transcript.showNewest();
refresh();
connection.open();
if (matchMedia("(hover: hover)").matches) composer.focus();
