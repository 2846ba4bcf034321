import { remove, removeProperty, replace, setBody, setCase, setProperty } from './changes.mjs';

/** Sessions, transcripts, stores. */
export default [
  {
    name: 'resume-flag-lost',
    symbol: 'buildArgv',
    change: remove("flag('resume', $value)"),
    breaks: 'resume starts a new session.',
  },
  {
    name: 'fork-flag-lost',
    symbol: 'buildArgv',
    change: remove("toggle('fork-session', $value)"),
    breaks: 'A fork goes on in the session it should leave alone.',
  },
  {
    name: 'session-id-lost',
    symbol: 'buildArgv',
    change: remove("flag('session-id', $value)"),
    breaks: 'The session id that the program chose is not used.',
  },
  {
    name: 'mirror-not-asked-for',
    symbol: 'buildArgv',
    change: remove("toggle('session-mirror', $value)"),
    breaks: 'With a store the CLI is not told to mirror its transcript.',
  },
  {
    name: 'mirror-frames-shown',
    symbol: 'QueryController.#onFrame',
    change: setCase(
      "'transcript_mirror'",
      'this.#show(frame, bytes, line); this.#options.receiver.onTranscriptMirror(frame, bytes); return;',
    ),
    breaks: 'transcript_mirror reaches the consumer.',
  },
  {
    name: 'result-before-its-transcript',
    symbol: 'TranscriptMirror.flush',
    change: remove('this.#plan()'),
    breaks: 'Entries that wait are not stored when a result comes, nor at the end.',
  },
  {
    name: 'subagent-in-the-main-transcript',
    symbol: 'keyOfTranscript',
    change: removeProperty('subpath'),
    breaks: 'The entries of a subagent are stored as those of its session.',
  },
  {
    name: 'batches-mixed',
    symbol: 'TranscriptMirror.onFrame',
    change: remove('batch.key.subpath'),
    breaks: 'A batch with a session and its subagent is stored under one of the two keys.',
  },
  {
    name: 'mirror-outside-the-folder',
    symbol: 'partsBelow',
    change: setBody("return slashed(path).split('/').slice(-2);"),
    breaks: 'A transcript outside the configuration folder is stored too.',
  },
  {
    name: 'stored-session-not-resumed',
    symbol: 'planSessionStore',
    change: removeProperty('resume'),
    breaks: 'The newest session of a store is loaded, but the CLI is not told to go on with it.',
  },
  {
    name: 'title-untrimmed',
    symbol: 'titleEntry',
    change: replace('title.trim()', 'title'),
    breaks: 'A title is stored with the white space around it.',
  },
  {
    name: 'title-of-another-type',
    symbol: 'titleEntry',
    change: setProperty('type', "'summary'"),
    breaks: 'A renamed session keeps its old title in lists.',
  },
  {
    name: 'resume-without-subagents',
    symbol: 'loadSession',
    change: remove('writeSubagents($$request)'),
    breaks: 'A session resumed from a store has lost its subagents.',
  },
  {
    name: 'side-chain-continued',
    symbol: 'findNewest',
    change: replace('found.entries[0]?.isSidechain === true', 'false'),
    breaks: 'continue with a store goes on in the session of a subagent.',
  },
  {
    name: 'refresh-token-copied',
    symbol: 'withoutRefreshTokens',
    change: replace("name === 'refreshToken'", 'false'),
    breaks: 'Two processes renew one log-in.',
  },
];
