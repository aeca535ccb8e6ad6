import type { Progress } from '../client/client.js'
import { errorText } from '../text/error-text.js'
import { definitionError } from '../tools/checks/definition-error.js'
import { checkOptions, optionsLike, optionsOf, withGiven } from '../tools/checks/known-options.js'
import { atLeast, either, oneOf, someFunction, someObject, someTexts, trueOrFalse } from '../tools/checks/option-values.js'
import { type AnswerContext, answerCall, type Callable } from './answer-call.js'
import type { Lower } from './lower/lowered.js'
import { defaultSchemaLimits } from './lower/plain-schema.js'
import { offerTools, type ReportedLoss } from './offer-tools.js'
import { defaultToolkitLimits, type RunOptions, type ToolkitLimits, type ToolkitOptions } from './options.js'
import type { ModelCall } from './provider.js'
import { type AnyProvider, type Formats, type ProviderName, providers } from './providers/providers.js'
import type { ModelOutcome } from './result/model-outcome.js'

/** The tools of a pool in the format of one model provider, and a function that runs the model's calls. */
export type Toolkit<P extends ProviderName = ProviderName> = {
  /** In the provider's format, always in the same order, so that prompt caches hold. */
  readonly tools: Formats[P]['tools']
  /** Parts of the tools' definitions that the provider's format cannot express. */
  readonly report: readonly ReportedLoss[]
  /** Runs the calls in the model's response, and returns the messages to append: none if there are no calls. */
  run(response: Formats[P]['response'], options?: RunOptions): Promise<Formats[P]['appended'][]>
}

const usualConcurrency = 4
const providerNames = Object.keys(providers)
const known = optionsOf<ToolkitOptions & { provider: ProviderName }>()('limits', {
  provider: oneOf(...providerNames),
  'strict forUser': trueOrFalse,
  ownTools: someTexts,
  fence: either(trueOrFalse, someFunction),
  protocolErrors: oneOf('summary', 'message', 'throw'),
  'filter onError': someFunction,
})
const knownLimits = optionsOf<ToolkitLimits>()('schema', { 'text media description': atLeast(0) })
const knownSchemaLimits = optionsLike(defaultSchemaLimits, atLeast(0))
const runOptions = optionsOf<RunOptions>()({
  signal: someObject,
  onProgress: someFunction,
  concurrency: atLeast(1),
  parallel: either(oneOf('read-only', 'all'), someFunction),
})

function limitsIn(given: ToolkitOptions['limits']): ToolkitLimits {
  checkOptions('`limits`', given, knownLimits)
  checkOptions('`limits.schema`', given?.schema, knownSchemaLimits)
  return { ...withGiven(defaultToolkitLimits, given), schema: withGiven(defaultSchemaLimits, given?.schema) }
}

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
  checkOptions('toolkit()', options, known)
  if (!Object.hasOwn(providers, options.provider))
    throw definitionError(`toolkit() has no provider "${options.provider}"; use one of ${providerNames.join(', ')}`)
  // The table pairs each name with its own formats, which the compiler cannot follow through an index.
  const provider = providers[options.provider] as unknown as AnyProvider<P>
  const limits = limitsIn(options.limits)
  const listed = (await pool.listTools()).filter(options.filter ?? (() => true))
  const lower: Lower = (plain, reportLoss) => provider.lower(plain, reportLoss, options.strict === true)
  const { offered, report } = await offerTools(listed, lower, limits)
  const { fence = true, forUser = false, protocolErrors = 'summary', onError = toStderr } = options
  const reading = { limits, forUser, shows: provider.shows, fence: typeof fence === 'function' ? fence : () => fence }
  const answerContext: AnswerContext = { pool, offered, reading, protocolErrors, onError }
  return {
    tools: provider.tools([...offered.values()], (call, terms) => answerCall(call, answerContext, terms)),
    report,
    async run(response, terms = {}) {
      checkOptions('run()', terms, runOptions)
      const calls = provider.callsIn(response).filter(({ alias }) => !options.ownTools?.includes(alias))
      const answerOne = (call: ModelCall) => answerCall(call, answerContext, answerOptionsOf(call, terms))
      const outcomes: PromiseSettledResult<ModelOutcome>[] = []
      for (const group of concurrentGroups(calls, answerContext, terms))
        outcomes.push(...(await settleConcurrently(group, terms.concurrency ?? usualConcurrency, answerOne)))
      return provider.append(calls.map((call, index) => provider.answer(call, settledAs(outcomes[index]!))))
    },
  }
}

/** Groups the calls, in order, so that those of one group may run in parallel. Calls of unknown tools always may. */
function concurrentGroups(calls: readonly ModelCall[], { offered }: AnswerContext, { parallel = 'read-only' }: RunOptions) {
  const toolOf = ({ alias }: ModelCall) => offered.get(alias)?.pooled
  // One tool that may change something keeps all calls in order, because the others may read what it changes.
  const allRead = calls.every((call) => toolOf(call)?.tool.hints.readOnly ?? true)
  const may = typeof parallel === 'function' ? parallel : () => parallel === 'all' || allRead
  const groups: ModelCall[][] = []
  let isOpen = false
  for (const call of calls) {
    const pooled = toolOf(call)
    const isFree = pooled === undefined || may(pooled)
    if (isFree && isOpen) groups.at(-1)?.push(call)
    else groups.push([call])
    isOpen = isFree
  }
  return groups
}

const answerOptionsOf = (call: ModelCall, { signal, onProgress }: RunOptions) => ({
  ...(signal && { signal }),
  ...(onProgress && { onProgress: (progress: Progress) => onProgress(progress, call) }),
})

/** Used once all calls have settled, so that none goes on unnoticed when one has thrown. */
function settledAs<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

function toStderr(thrown: unknown, { alias }: ModelCall): void {
  console.error(`toolwire: the call to ${alias} failed: ${errorText(thrown)}`)
}

/** Does the work for each item, at most `atOnce` at a time, and returns the results in order when all have settled. */
async function settleConcurrently<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>) {
  const results: PromiseSettledResult<R>[] = []
  const waiting = items.entries()
  const worker = async () => {
    for (const [index, item] of waiting) [results[index]!] = await Promise.allSettled([work(item)])
  }
  await Promise.all(Array.from({ length: Math.min(Math.max(1, atOnce), items.length) }, worker))
  return results
}
