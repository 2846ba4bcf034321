import { checkCases } from '../../helpers/session-case/check-cases.js';
import { startupCases } from './startup.cases.js';

checkCases({ 'processes that wait': startupCases });
