import { checkTables } from './check-table.js';
import { inboundRows } from './inbound.rows.js';
import { promptRows } from './prompt.rows.js';
import { readerRows } from './reader.rows.js';
import { requestRows } from './requests.rows.js';
import { setMcpServersRows } from './set-mcp-servers.rows.js';

checkTables({
  'prompt frames and the end of input': promptRows,
  'control requests from the SDK': requestRows,
  'control requests from the CLI': inboundRows,
  reader: readerRows,
  'servers that change while the session runs': setMcpServersRows,
});
