import { checkCases } from '../helpers/session-case/check-cases.js';
import { endingCases } from './ending.cases.js';
import { promptCases } from './prompt.cases.js';
import { pythonClientCases } from './python-client.cases.js';
import { readerCases } from './reader.cases.js';

checkCases({
  'prompt frames and the end of input': promptCases,
  reader: readerCases,
  'end, abort, close': endingCases,
  'Python client': pythonClientCases,
});
