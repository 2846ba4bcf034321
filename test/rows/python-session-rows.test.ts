import { checkTables } from './check-table.js';
import { pythonCallbackRows } from './python-callbacks.rows.js';
import { pythonClientRows } from './python-client.rows.js';

checkTables({ 'Python client': pythonClientRows, 'Python callbacks': pythonCallbackRows });
