import { checkCases } from '../helpers/session-case/check-cases.js';
import { mcpCases } from './session-mcp.cases.js';
import { setMcpServersCases } from './set-mcp-servers.cases.js';

checkCases({ 'in-process MCP': mcpCases, 'servers that change while the session runs': setMcpServersCases });
