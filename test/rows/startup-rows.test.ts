import { checkTables } from './check-table.js';
import { startupRows } from './startup.rows.js';

checkTables({ 'processes that wait': startupRows });
