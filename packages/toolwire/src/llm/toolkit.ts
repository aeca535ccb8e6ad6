import { traced } from '../tools/traced.js'
import { answerCall, type Desk } from './answers.js'
import type { Callable } from './callable.js'
import { inTurn } from './in-turn.js'
import { offer, type ReportedLoss } from './offer.js'
import { type RunOptions, type ToolkitOptions, usualToolkitLimits } from './options.js'
import type { ModelCall } from './provider.js'
import { type AnyProvider, type Formats, type ProviderName, providers } from './providers/providers.js'

/** The tools of a pool for one model provider, and the way for its calls back to the pool. */
export type Toolkit<P extends ProviderName = ProviderName> = {
  /** In the provider's format, always in the same order, so that prompt caches hold. */
  readonly tools: Formats[P]['tools']
  /** What the provider's format cannot say. */
  readonly report: readonly ReportedLoss[]
  /** Runs the calls in what the model said, and gives what to append to the conversation: nothing if there are none. */
  run(response: Formats[P]['response'], options?: RunOptions): Promise<Formats[P]['appended'][]>
}

const usualConcurrency = 4

/**
 * Makes the tools of a pool ready for a model.
 *
 * @example
 * const kit = await toolkit(servers, { provider: 'anthropic' })
 * const message = await anthropic.messages.create({ tools: kit.tools, messages, … })
 * messages.push(message, ...(await kit.run(message)))
 */
export async function toolkit<P extends ProviderName>(
  pool: Callable,
  options: ToolkitOptions & { provider: P },
): Promise<Toolkit<P>> {
  // The table pairs each name with its own formats, which the compiler cannot follow through an index.
  const provider = providers[options.provider] as unknown as AnyProvider<P>
  const limits = { ...usualToolkitLimits, ...options.limits }
  const listed = (await pool.listTools()).filter(options.filter ?? (() => true))
  const { offered, report } = await offer(listed, (plain, lose) => provider.lower(plain, lose, options.strict === true), limits)
  const desk = deskFor(pool, offered, { options, limits, shows: provider.shows })
  return {
    tools: provider.tools([...offered.values()], (call, terms) => answerCall(call, desk, terms)),
    report,
    async run(response, terms = {}) {
      const calls = provider.callsIn(response).filter(({ alias }) => !options.ownTools?.includes(alias))
      const outcomes = await inTurn(calls, atOnce(calls, desk, terms), (call) => answerCall(call, desk, termsOf(call, terms)))
      return provider.append(calls.map((call, index) => provider.answer(call, settledAs(outcomes[index]!))))
    },
  }
}

type Means = { options: ToolkitOptions; limits: Desk['reading']['limits']; shows: Desk['reading']['shows'] }

function deskFor(pool: Callable, offered: Desk['offered'], { options, limits, shows }: Means): Desk {
  const { fence = true, forUser = false, protocolErrors = 'summary', onError = toStderr } = options
  const reading = { limits, forUser, shows, fence: typeof fence === 'function' ? fence : () => fence }
  return { pool, offered, reading, protocolErrors, onError }
}

/** Calls that change something keep their order; only those believed to read may overtake each other. */
function atOnce(calls: readonly ModelCall[], { offered }: Desk, { concurrency = usualConcurrency }: RunOptions): number {
  const known = calls.map(({ alias }) => offered.get(alias)).filter((tool) => tool !== undefined)
  return known.every(({ pooled }) => pooled.tool.hints.readOnly) ? concurrency : 1
}

const termsOf = (call: ModelCall, { signal, onProgress }: RunOptions) => ({
  signal,
  onProgress: onProgress && ((progress: Parameters<typeof onProgress>[0]) => onProgress(progress, call)),
})

/** All calls have settled by now, so that none goes on unseen when one has thrown. */
function settledAs<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

function toStderr(thrown: unknown, { alias }: ModelCall): void {
  console.error(`toolwire: the call to ${alias} failed: ${traced(thrown)}`)
}
