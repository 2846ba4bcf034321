import type { RequestOptions } from '../control/controller-options.js';
import type { ReadAnswer } from '../control/outbound-requests.js';
import { type JsonObject, omitUndefined } from '../util/json.js';

type Answer = Promise<JsonObject | undefined>;

/** Sends one request of the session. */
type Send = <T = JsonObject | undefined>(
  subtype: string,
  payload?: JsonObject,
  read?: ReadAnswer<T>,
  options?: RequestOptions,
) => Promise<T>;

/**
 * Methods that the official `Query` has at run time and does not declare. Published programs call them with a cast, or
 * look for them with `typeof`. Our `Query` does not declare them either: a program that declares one itself, with the
 * types it knows, has to compile. Each sends one request. `npm run parity:official` compares the list and the frames.
 *
 * @internal
 */
export abstract class UndeclaredMethods {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = (subtype, payload = {}, ...rest) => send(subtype, omitUndefined(payload), ...rest);
  }

  /** The settings in force. */
  getSettings(): Answer {
    return this.#send('get_settings');
  }

  getHooksListing(): Answer {
    return this.#send('get_hooks_listing');
  }

  listPermissionRules(): Answer {
    return this.#send('list_permission_rules');
  }

  /** The plan of plan mode, if there is one. */
  getPlan(): Answer {
    return this.#send('get_plan');
  }

  /** What `/status` shows. */
  getStatus(): Answer {
    return this.#send('get_status');
  }

  getMemoryDialog(): Answer {
    return this.#send('get_memory_dialog');
  }

  getSkillsDialog(): Answer {
    return this.#send('get_skills_dialog');
  }

  getSandboxDialog(): Answer {
    return this.#send('get_sandbox_dialog');
  }

  getChromeDialog(): Answer {
    return this.#send('get_chrome_dialog');
  }

  getChromeBrowsers(): Answer {
    return this.#send('get_chrome_browsers');
  }

  selectChromeBrowser(deviceId: string): Answer {
    return this.#send('select_chrome_browser', { device_id: deviceId });
  }

  setChromeBrowserHints(hints: JsonObject): Promise<void> {
    return this.#send('set_chrome_browser_hints', hints, ignore);
  }

  /** The conversation as text, and a name for its file. */
  exportConversation(): Answer {
    return this.#send('export_conversation');
  }

  /** What a background task has written so far. */
  getTaskOutput(taskId: string): Answer {
    return this.#send('get_task_output', { task_id: taskId });
  }

  /** Another working directory for the session. */
  setCwd(path: string): Answer {
    return this.#send('set_cwd', { path });
  }

  /** Asks about the conversation beside it. `null` when the CLI has no answer; `synthetic` when no model gave it. */
  askSideQuestion(
    question: string,
    options?: { readonly history?: readonly unknown[]; readonly signal?: AbortSignal },
  ): Promise<JsonObject | null> {
    const read = (answer?: JsonObject) => {
      const { response, synthetic = false } = answer ?? {};
      return response === null ? null : { response, synthetic };
    };
    return this.#send('side_question', { question, history: options?.history }, read, signalOf(options));
  }

  /** Takes a queued user message back. `true` when it had not been read yet. */
  cancelAsyncMessage(messageUuid: string): Promise<boolean> {
    const read = (answer?: JsonObject) => answer?.cancelled as boolean;
    return this.#send('cancel_async_message', { message_uuid: messageUuid }, read);
  }

  /** The stored title, else one that a model makes of the description. `persist` writes it into the transcript. */
  generateSessionTitle(description: string, options?: { readonly persist?: boolean }): Promise<unknown> {
    const payload = { description, persist: options?.persist };
    return this.#send('generate_session_title', payload, (answer) => answer?.title);
  }

  renameSession(title: string, sessionId?: string): Promise<void> {
    return this.#send('rename_session', { title, source: 'host', session_id: sessionId }, ignore);
  }

  setPromptSuggestionsPaused(paused: boolean): Promise<void> {
    return this.#send('set_prompt_suggestions_paused', { paused }, ignore);
  }

  /** Starts signing in to Claude. The answer has the pages to open. */
  claudeAuthenticate(loginWithClaudeAi?: boolean, options?: { readonly consoleProfile?: string }): Answer {
    return this.#send('claude_authenticate', { loginWithClaudeAi, consoleProfile: options?.consoleProfile });
  }

  /** The code that the sign-in page showed. */
  claudeOAuthCallback(authorizationCode: string, state: string): Answer {
    return this.#send('claude_oauth_callback', { authorizationCode, state });
  }

  /** Resolves when the user has signed in. */
  claudeOAuthWaitForCompletion(): Answer {
    return this.#send('claude_oauth_wait_for_completion');
  }

  /** Starts signing in to an MCP server. The answer may hold the page to open. */
  mcpAuthenticate(serverName: string, redirectUri?: string, options?: { readonly redirectUriOnly?: boolean }): Answer {
    return this.#send('mcp_authenticate', { serverName, redirectUri, redirectUriOnly: options?.redirectUriOnly });
  }

  /** Signs out of an MCP server. */
  mcpClearAuth(serverName: string): Answer {
    return this.#send('mcp_clear_auth', { serverName });
  }

  /** The address that the sign-in page of an MCP server sent the browser to. */
  mcpSubmitOAuthCallbackUrl(serverName: string, callbackUrl: string): Answer {
    return this.#send('mcp_oauth_callback_url', { serverName, callbackUrl });
  }

  /** Takes messages of an MCP server into the conversation. */
  enableChannel(serverName: string): Promise<void> {
    return this.#send('channel_enable', { serverName }, ignore);
  }

  /** Lets the session be driven from elsewhere, or ends that. */
  enableRemoteControl(enabled: boolean, name?: string, options?: JsonObject): Answer {
    return this.#send('remote_control', {
      enabled,
      name,
      reattach_session_id: options?.reattachSessionId,
      keep_session_on_exit: options?.keepSessionOnExit,
      work_secret: options?.workSecret,
    });
  }

  launchUltrareview(args: string, options?: { readonly confirm?: boolean }): Answer {
    return this.#send('ultrareview_launch', { args, confirm: options?.confirm ?? false });
  }

  /** @param options - `surface`, `draft_id`, `type`, `title`, `area`, `attach_transcript`, `save_locally`. */
  submitFeedback(description: string, options?: JsonObject): Answer {
    const { surface, draft_id, type, title, area, attach_transcript, save_locally } = options ?? {};
    const details = { surface, draft_id, type, title, area, attach_transcript, save_locally };
    return this.#send('submit_feedback', { description, ...details });
  }

  submitSurveyFeedback(answers: JsonObject): Answer {
    return this.#send('submit_survey_feedback', answers);
  }

  /** @param rating - `messageUuid`, `sentiment`, `surface`; `cleared` takes an earlier one back. */
  messageRated(rating: JsonObject = {}): Promise<void> {
    const { messageUuid, sentiment, surface, cleared = false } = rating;
    return this.#send('message_rated', { messageUuid, sentiment, surface, cleared }, ignore);
  }

  /** Sends the request as it is, `subtype` included; so do the two below. */
  dictate(request: JsonObject): Answer {
    return this.#sendWhole(request);
  }

  readCloudSessions(request: JsonObject, options?: { readonly signal?: AbortSignal }): Answer {
    return this.#sendWhole(request, options);
  }

  logHostEvents(request: JsonObject, options?: { readonly signal?: AbortSignal }): Answer {
    return this.#sendWhole(request, options);
  }

  #sendWhole(request: JsonObject = {}, options?: { readonly signal?: AbortSignal }): Answer {
    const { subtype, ...payload } = request;
    // Anything but a string is refused there.
    return this.#send(subtype as string, payload, undefined, signalOf(options));
  }
}

function signalOf(options: { readonly signal?: AbortSignal } | undefined): RequestOptions | undefined {
  return options?.signal === undefined ? undefined : { signal: options.signal };
}

/** For requests with an empty answer. */
export function ignore(): void {}
