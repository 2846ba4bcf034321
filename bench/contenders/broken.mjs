/**
 * The floor with one fault, named by `BENCH_FAULT`. A run of it must fail: that is how `self-test.mjs`
 * knows that the checks see what they are there for.
 */
import * as raw from './raw.mjs';

const FAULT_AT = 100;

/** Each gets the messages one by one and passes on what it likes. */
const FAULTS = {
  none: (message, pass) => pass(message),
  lost: (message, pass, index) => index !== FAULT_AT && pass(message),
  doubled(message, pass, index) {
    pass(message);
    if (index === FAULT_AT) pass(message);
  },
  swapped(message, pass, index, state) {
    if (index === FAULT_AT) {
      state.held = message;
      return;
    }
    pass(message);
    if (index === FAULT_AT + 1) pass(state.held);
  },
  cut(message, pass, index) {
    if (index === FAULT_AT) message.event.delta.text = message.event.delta.text.slice(1);
    pass(message);
  },
  answer: (message, pass) => pass(message),
};

export const { load } = raw;

export function open(work) {
  const fault = process.env.BENCH_FAULT;
  const passOn = FAULTS[fault];
  const state = {};
  let index = 0;
  return raw.open({
    ...work,
    ...(fault === 'answer' && { canUseTool: falsified(work.canUseTool) }),
    onMessage: (message) => passOn(message, work.onMessage, index++, state),
  });
}

/** Gives one answer with the input of another question. */
function falsified(canUseTool) {
  let calls = 0;
  return (name, input) => canUseTool(name, calls++ === FAULT_AT ? { ...input, command: 'touch other.txt' } : input);
}
