import { lackError, lackText, neededGuarantees } from '../runtime/guarantees.js';
import { ToolPermissions } from '../state/index.js';
import type { LiveRun } from './live-run.js';
import type { Run } from './run.js';

/**
 * Compares what the run needs with what the CLI confirmed, and notes it in the report. Called before the first message.
 * @throws AdapterConfigError the policy depends on a guarantee that this release does not keep.
 */
export async function confirmGuarantees(
  { config, request, recorder, log }: Run<unknown>,
  { query }: LiveRun,
): Promise<void> {
  const needed = neededGuarantees(config.client, request.session.query(ToolPermissions).latest()?.blocked ?? []);
  const isKept = (await query.confirmsOnFailure?.()) ?? true;
  const [kept, missing] = isKept ? [needed, []] : [[], needed];
  recorder.guarantees = { kept: kept.map(({ name }) => name), missing: missing.map(({ name }) => name) };
  if (missing.length === 0) return;
  const version = await query.cliVersion?.();
  for (const each of missing) {
    const error = lackError(each, version);
    if (error !== undefined) throw error;
    recorder.warnings.push(lackText(each.name, version));
    log.warn('cli.guarantee_missing', { guarantee: each.name, cliVersion: version });
  }
}
