import { checkCases } from '../helpers/session-case/check-cases.js';
import { inboundCases } from './inbound.cases.js';
import { pythonCallbackCases } from './python-callbacks.cases.js';
import { requestCases } from './requests.cases.js';

checkCases({
  'control requests from the SDK': requestCases,
  'control requests from the CLI': inboundCases,
  'Python callbacks': pythonCallbackCases,
});
