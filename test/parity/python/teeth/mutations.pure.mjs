// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of our sources.
/**
 * Rows of the calls that both SDKs make, each with a change of our code that the row must notice: file, the text that is
 * there once, what stands there instead.
 */
const content = 'src/parser/normalize/content-block.ts';
const conversation = 'src/parser/normalize/conversation.ts';
const system = 'src/parser/normalize/system.ts';
const task = 'src/parser/normalize/task.ts';
const result = 'src/parser/normalize/result.ts';
const event = 'src/parser/normalize/event.ts';
const client = 'src/query/client.ts';
const sessionRow = 'src/transcripts/transcript/session-row.ts';
const prompt = 'src/transcripts/transcript/first-prompt.ts';
const chain = 'src/transcripts/transcript/chain.ts';
const titles = 'src/transcripts/transcript/titles.ts';
const fork = 'src/transcripts/transcript/fork.ts';
const loading = 'src/query/stored-session/load-session.ts';
const resultText = 'src/query/outcome/result-text.ts';
const streamEnd = 'src/query/stream-end.ts';
const processErrors = 'src/errors/process-errors.ts';

/** @type {readonly (readonly [row: string, file: string, anchor: string, replacement: string])[]} */
export const PURE_MUTATIONS = [
  // Parser.
  [
    'PY-232',
    content,
    "return { type, text: fields.string('text') };",
    "return { type, text: '' };",
  ],
  [
    'PY-233',
    conversation,
    'parsed = parseUserBlocks(content, issues)',
    'parsed = parseAssistantBlocks(content, issues) as never',
  ],
  [
    'PY-234',
    conversation,
    "toolUseResult: fields.optionalValue('tool_use_result')",
    'toolUseResult: undefined',
  ],
  [
    'PY-235',
    'src/parser/normalize/origin.ts',
    "typeof value.kind === 'string'",
    "value.kind !== undefined",
  ],
  [
    'PY-236',
    conversation,
    "messageId: message.optionalString('id')",
    "messageId: fields.optionalString('id')",
  ],
  [
    'PY-237',
    conversation,
    "error: fields.optionalString('error')",
    "error: message.optionalString('error')",
  ],
  [
    'PY-238',
    content,
    "signature: fields.string('signature')",
    "signature: fields.optionalString('signature') ?? ''",
  ],
  [
    'PY-239',
    content,
    "    case 'thinking':\n",
    "    case 'redacted_thinking':\n      return { type: 'text', text: '' };\n    case 'thinking':\n",
  ],
  [
    'PY-240',
    content,
    "content: fields.value('content')",
    "content: fields.optionalValue('content')",
  ],
  ['PY-241', conversation, "message.array('content')", "message.optionalArray('content') ?? []"],
  [
    'PY-242',
    content,
    "isError: fields.optionalBoolean('is_error')",
    "isError: fields.optionalBoolean('is_error') ?? false",
  ],
  [
    'PY-243',
    task,
    "outputFile: fields.string('output_file')",
    "outputFile: fields.optionalString('output_file') ?? ''",
  ],
  [
    'PY-244',
    task,
    "taskId: stringField(frame, 'task_id') ?? ''",
    "taskId: stringField(frame, 'task_id') ?? 'none'",
  ],
  [
    'PY-245',
    system,
    "return { kind: 'system', subtype, data: frame };",
    "return { kind: 'system', subtype, data: {} };",
  ],
  [
    'PY-246',
    system,
    "    case 'hook_response':\n",
    "    case 'hook_response':\n    case 'hook_progress' as 'hook_response':\n",
  ],
  [
    'PY-247',
    system,
    "error: stringField(frame, 'error') ?? '',\n        data: frame,",
    "error: stringField(frame, 'error') ?? '',\n        data: { ...frame },",
  ],
  [
    'PY-248',
    result,
    "modelUsage: fields.optionalObject('modelUsage')",
    "modelUsage: fields.optionalObject('model_usage')",
  ],
  ['PY-249', result, 'Object.keys(deferred).length === 0', 'false'],
  [
    'PY-250',
    result,
    "errors: fields.optionalArray('errors')",
    "errors: fields.optionalArray('errors')?.filter((one) => typeof one === 'string')",
  ],
  [
    'PY-251',
    event,
    "uuid: fields.string('uuid'),\n    sessionId: fields.string('session_id'),\n    event:",
    "uuid: fields.optionalString('uuid') ?? '',\n    sessionId: fields.string('session_id'),\n    event:",
  ],
  ['PY-252', event, "info.optionalNumber('resetsAt')", "info.optionalNumber('resets_at')"],
  [
    'PY-253',
    event,
    "newConversationId: fields.string('new_conversation_id')",
    "newConversationId: fields.optionalString('new_conversation_id') ?? ''",
  ],
  [
    'PY-254',
    'src/parser/parse-message.ts',
    "    default:\n      return { kind: 'unknown', type, raw: frame };",
    "    default:\n      issues.add(['type'], 'unknown');\n      return { kind: 'unknown', type, raw: frame };",
  ],
  [
    'PY-255',
    'src/parser/parse-message.ts',
    "typeof type !== 'string' || type === ''",
    "typeof type !== 'string'",
  ],

  // Client and query.
  [
    'PY-256',
    'src/control/frame-router.ts',
    "    case 'assistant':\n",
    "    case 'assistant':\n      if (Object.keys(frame.message ?? {}).length === 0) return;\n      sinks.onMessage(frame, bytes, line);\n      return;\n",
  ],
  [
    'PY-257',
    client,
    "new CLIConnectionError('Not connected. Call connect() first.'",
    "new CLIConnectionError('Not connected.'",
  ],
  [
    'PY-258',
    client,
    'this.#connection = undefined;\n    if (connection !== undefined) {',
    'if (connection !== undefined) {',
  ],
  ['PY-259', client, "const DEFAULT_SESSION_ID = 'default';", "const DEFAULT_SESSION_ID = '';"],
  [
    'PY-260',
    client,
    "prompt: typeof prompt === 'string' ? undefined : prompt,",
    "prompt: typeof prompt === 'string' ? undefined : (prompt ?? ''),",
  ],
  [
    'PY-261',
    'src/query/launch/policy.ts',
    "if (prompt === 'stream') return 'stream';",
    "if (prompt === 'stream') return 'held';",
  ],
  ['PY-262', client, '[userFrame(prompt, sessionId)]', "[userFrame(prompt, '')]"],
  [
    'PY-263',
    client,
    "'session_id' in frame ? frame : { ...frame, session_id: sessionId }",
    '({ ...frame, session_id: sessionId })',
  ],
  [
    'PY-264',
    client,
    'await sendTo(this.#connected().session, prompt, sessionId);',
    'await sendTo(this.#connected().session, prompt, sessionId);\n    this.#connected().session.close();',
  ],
  [
    'PY-265',
    client,
    "if (message.type === 'result') return;",
    "if (message.type === 'assistant') return;",
  ],
  [
    'PY-266',
    client,
    '      if (step.done === true) return;\n      yield step.value;',
    "      if (step.done === true) return;\n      yield step.value;\n      if (step.value.type === 'result') return;",
  ],
  [
    'PY-267',
    client,
    'this.#ask((requests) => requests.initializationResult())',
    "this.#ask((requests) => requests.request('initialize') as never)",
  ],
  [
    'PY-268',
    client,
    '      if (this.#connection === connection) this.#connection = undefined;\n',
    '',
  ],
  [
    'PY-269',
    client,
    'if (connection !== undefined) {',
    "if (connection === undefined) throw new CLIConnectionError('never connected');\n    else {",
  ],
  ['PY-270', client, '    await this.disconnect();', '    await Promise.resolve();'],
  [
    'PY-271',
    'src/query/query.ts',
    '    this.#session.close();\n    await this.#session.left();',
    '    await Promise.resolve();',
  ],
  [
    'PY-272',
    'src/query/message-queue.ts',
    '    this.#isEnded = true;\n    this.#error = error;\n',
    '    this.#isEnded = true;\n    this.#clear();\n    this.#error = error;\n',
  ],
  [
    'PY-273',
    'src/transport/pull-adapter.ts',
    'transport.write(data)',
    "transport.write(data.replace('user', 'nobody'))",
  ],
  [
    'PY-274',
    'src/query/launch/session-store-plan.ts',
    'if (!isWanted || given.transport !== undefined)',
    'if (!isWanted)',
  ],
  [
    'PY-275',
    'src/control/frame-router.ts',
    "    case 'result':\n      sinks.onMessage(frame, bytes, line);\n",
    "    case 'result':\n      sinks.onMessage(frame, bytes, line);\n      sinks.onMessage(frame, bytes, line);\n",
  ],

  // Sessions on disk.
  [
    'PY-276',
    'src/util/config-folder.ts',
    "join(home ?? homeDirectory(), '.claude')",
    "join(home ?? homeDirectory(), '.config', 'claude')",
  ],
  ['PY-277', 'src/transcripts/files/project-folder.ts', '/[^a-zA-Z0-9]/g', '/[^a-zA-Z0-9_]/g'],
  [
    'PY-278',
    'src/transcripts/files/project-folder.ts',
    'Math.imul(hash, 31)',
    'Math.imul(hash, 33)',
  ],
  [
    'PY-279',
    'src/transcripts/files/session-rows.ts',
    'if (time !== otherTime) return otherTime - time;',
    'if (time !== otherTime) return time - otherTime;',
  ],
  ['PY-280', 'src/transcripts/page.ts', 'limit > 0 ? start + limit : undefined', 'start + limit'],
  [
    'PY-281',
    'src/transcripts/files/session-rows.ts',
    'return rows.filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId));',
    'return rows.filter(({ sessionId }) => seen.add(sessionId));',
  ],
  ['PY-282', sessionRow, "if (head.firstLineHas('isSidechain')) return undefined;\n", ''],
  [
    'PY-283',
    sessionRow,
    'customTitle || texts.lastPrompt || texts.summary || firstPrompt',
    'customTitle || texts.summary || texts.lastPrompt || firstPrompt',
  ],
  ['PY-284', prompt, 'const MAX_LENGTH = 200;', 'const MAX_LENGTH = 201;'],
  ['PY-285', prompt, 'this.#command ??= command;', 'this.#command ??= undefined;'],
  ['PY-286', sessionRow, "isOfType('tag')", "isOfType('tags')"],
  [
    'PY-288',
    'src/transcripts/files/worktrees.ts',
    'return [main, ...linkedWorktrees(common)];',
    'return [main];',
  ],
  [
    'PY-289',
    'src/transcripts/files/find-transcript.ts',
    'if (!isSessionId(sessionId)) return undefined;',
    'checkSessionId(sessionId);',
  ],
  ['PY-290', chain, 'for (const leaf of nodes.toReversed()) {', 'for (const leaf of nodes) {'],
  [
    'PY-291',
    chain,
    'if (node.isMeta || node.isSidechain || node.isTeam) return false;',
    'if (node.isSidechain || node.isTeam) return false;',
  ],
  [
    'PY-292',
    chain,
    'while (node !== undefined && !seen.has(node.uuid)) {',
    'while (node !== undefined && chain.length < 99) {',
  ],
  [
    'PY-293',
    'src/util/json.ts',
    '  } catch {\n    return undefined;',
    '  } catch (error) {\n    throw error;',
  ],
  [
    'PY-294',
    'src/transcripts/transcript/main-chain.ts',
    "stringField(metadata, 'toolUseId') ?? null",
    "stringField(metadata, 'tool_use_id') ?? null",
  ],
  ['PY-295', titles, '  return trimmed;', '  return title;'],
  ['PY-296', titles, "  if (cleaned === '') {", "  if (tag === '') {"],
  [
    'PY-297',
    'src/transcripts/files/find-transcript.ts',
    '  if (found !== undefined) return found;\n  const id',
    '  if (found !== undefined) return found;\n  if (directory === undefined) checkSessionId(undefined);\n  const id',
  ],
  [
    'PY-298',
    'src/transcripts/files/find-transcript.ts',
    'return stats.size > 0 ? place : undefined;',
    'return place;',
  ],
  ['PY-299', titles, "if (tag === null) return '';", "if (tag === null) return 'none';"],
  ['PY-300', titles, '/[\\p{Cf}\\p{Co}\\p{Cn}\\p{Cs}]/gu', '/[\\p{Cf}\\p{Cn}\\p{Cs}]/gu'],
  [
    'PY-301',
    'src/transcripts/files/remove-transcript.ts',
    '  remove(sessionId, sessionFolder, { recursive: true, force: true });\n',
    '',
  ],
  [
    'PY-302',
    fork,
    "const LEFT_OUT = ['teamName', 'agentName', 'slug', 'sourceToolAssistantUUID'];",
    "const LEFT_OUT = ['teamName', 'agentName', 'slug'];",
  ],
  ['PY-303', fork, '  return cut + 1;', '  return cut;'],
  ['PY-304', fork, 'UNTITLED} (fork)`', 'UNTITLED} (copy)`'],
  [
    'PY-307',
    'src/query/launch/option-conflicts.ts',
    'if (o.enableFileCheckpointing === true) {',
    "if (o.enableFileCheckpointing === 'never') {",
  ],
  [
    'PY-308',
    'src/query/launch/session-store-plan.ts',
    "withVariable(parts.env, 'CLAUDE_CONFIG_DIR', configFolder, parts.platform)",
    'parts.env',
  ],
  [
    'PY-309',
    'src/query/stored-session/resume-folder.ts',
    "(name === 'refreshToken' ? undefined : value)",
    'value',
  ],
  [
    'PY-310',
    'src/query/launch/session-store-plan.ts',
    'resume ? isSessionId(resume) : given.continue === true',
    'resume ? true : given.continue === true',
  ],
  ['PY-311', loading, "found.entries[0]?.isSidechain !== true", 'found.entries.length > 0'],
  [
    'PY-312',
    'src/transcripts/store/safe-subpath.ts',
    "segment !== '' && segment !== '.' && segment !== '..'",
    "segment !== '' && segment !== '.'",
  ],
  ['PY-313', loading, 'limits.signal)) ?? [];', 'limits.signal).catch(() => [])) ?? [];'],
  [
    'PY-314',
    'src/query/stored-session/resume-folder.ts',
    '      this.#directory.remove();\n',
    '      if (onDiagnostic === undefined) this.#directory.remove();\n',
  ],
  [
    'PY-315',
    'src/transcripts/store/store-listing.ts',
    'mtime >= (mtimes.get(sessionId)',
    'mtime > (mtimes.get(sessionId)',
  ],
  [
    'PY-316',
    'src/transcripts/store/store-listing.ts',
    'const LOADS_AT_ONCE = 16;',
    'const LOADS_AT_ONCE = 40;',
  ],
  [
    'PY-317',
    'src/transcripts/store/store-listing.ts',
    "      throw missingMethod('listSessions', store.listSessions, 'list sessions');",
    '      return [];',
  ],
  [
    'PY-318',
    'src/transcripts/store/store-changing.ts',
    "  if (!hasMethod(store, 'delete')) return;\n",
    '',
  ],
  [
    'PY-319',
    'src/transcripts/store/fold-session-summary.ts',
    'const data: Record<string, unknown> = { ...prev?.data };',
    'const data: Record<string, unknown> = prev?.data ?? {};',
  ],
  [
    'PY-320',
    'src/transcripts/store/import-session.ts',
    "return metadata && { ...metadata, type: 'agent_metadata' };",
    'return undefined;',
  ],
  [
    'PY-321',
    'src/transcripts/store/in-memory-session-store.ts',
    'return entries === undefined ? null : copyEntries(entries);',
    'return entries ?? null;',
  ],

  // Errors.
  [
    'PY-322',
    'src/errors/connection-errors.ts',
    'class CLINotFoundError extends CLIConnectionError {',
    'class CLINotFoundError extends (ClaudeSDKError as unknown as typeof CLIConnectionError) {',
  ],
  [
    'PY-323',
    processErrors,
    '    this.exitCode = options.exitCode ?? null;',
    '    this.exitCode = null;',
  ],
  [
    'PY-324',
    'src/errors/connection-errors.ts',
    '`${message}: ${options.cliPath}`',
    '`${message} (${options.cliPath})`',
  ],
  ['PY-325', resultText, "texts.join('; ')", "texts.join(', ')"],
  ['PY-326', resultText, '  if (text !== undefined) return text;\n', ''],
  ['PY-327', resultText, '`API error (HTTP ${status})`', '`HTTP ${status}`'],
  [
    'PY-328',
    resultText,
    '(Array.isArray(errors) ? errors : [errors])',
    '(Array.isArray(errors) ? errors : [])',
  ],
  [
    'PY-329',
    processErrors,
    "this.terminalReason = text(data.terminal_reason);",
    "this.terminalReason = text(data.reason);",
  ],
  [
    'PY-330',
    streamEnd,
    'if (end.exit === undefined || isClean(end.exit)) return undefined;',
    'if (end.exit === undefined) return undefined;',
  ],
  [
    'PY-331',
    'src/query/session-record.ts',
    'this.#noteSystem(frame);',
    "this.#results.note({ type: 'result' });",
  ],
  [
    'PY-332',
    'src/query/session-record.ts',
    "else if (type === 'system') this.#noteSystem(frame);",
    "else if (type === 'assistant') this.#results.note({ type: 'result' });\n    else if (type === 'system') this.#noteSystem(frame);",
  ],
  [
    'PY-333',
    streamEnd,
    "if (frame.type === 'result') this.#last = frame;",
    "if (frame.type === 'result') this.#last ??= frame;",
  ],
  [
    'PY-334',
    streamEnd,
    "if (result === undefined || !result.is_error) return exitError;",
    'if (exitError !== undefined) return exitError;',
  ],
  ['PY-335', streamEnd, 'if (end.error !== undefined) return end.error;\n', ''],
  [
    'PY-336',
    'src/query/message-queue.ts',
    '    const error = this.#error;\n    this.#error = undefined;',
    '    const error = this.#error;',
  ],
  ['PY-337', 'src/errors/frame-errors.ts', 'line.slice(0, 100)', 'line.slice(0, 120)'],

  // Defects that are not copied.
  [
    'PY-D3',
    'src/query/query-session.ts',
    '  #onHiddenFrame(type: string): void {\n',
    "  #onHiddenFrame(type: string): void {\n    if (type === 'keep_alive') this.#record.note('result', { type: 'result' });\n",
  ],
  ['PY-D5', 'src/util/json.ts', 'JSON.parse(text)', "JSON.parse(text.split('\\u2028')[0] ?? '')"],
  ['PY-D6', client, 'if (this.#connection !== undefined) {', 'if (false) {'],
  [
    'PY-D10',
    'src/transcripts/transcript/session-id.ts',
    'value.length === 36 && UUID.test(value)',
    'UUID.test(value.trim())',
  ],
  [
    'PY-D12',
    'src/transcripts/store/in-memory-session-store.ts',
    '    if (entries.length === 0) return;\n',
    '',
  ],
  ['PY-D14', 'src/parser/normalize/field-reader.ts', '    else this.wrong(key, expected);', ''],
  [
    'PY-D17',
    'src/transcripts/store/import-session.ts',
    'if (entry === undefined) continue;',
    "if (entry === undefined) throw new Error('a corrupt line');",
  ],
];
