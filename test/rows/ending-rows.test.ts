import { checkTables } from './check-table.js';
import { endingRows } from './ending.rows.js';
import { mcpRows } from './mcp.rows.js';

checkTables({ 'in-process MCP': mcpRows, 'end, abort, close': endingRows });
