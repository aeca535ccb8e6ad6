// The context that policies see for an outgoing call of a client.
import type { JsonObject } from '../../json.js'
import type { Next } from '../../policy/policy.js'
import type { Caller } from '../../tools/caller.js'
import { DefinitionError } from '../../tools/checks/definition-error.js'
import { checkMetaKeys } from '../../tools/checks/meta-keys.js'
import { type AskFunction, type Log, logLevels, type SupportedQuestions } from '../../tools/context.js'
import type { CallContext } from '../../tools/tool.js'

export type OutgoingCallContext = CallContext & { readonly deliver: Next }

type ContextParts = Pick<OutgoingCallContext, 'signal' | 'meta' | 'abort' | 'deliver'>

export function callContext(caller: Caller, { signal, meta, abort, deliver }: ContextParts): OutgoingCallContext {
  return {
    caller,
    signal,
    cancelToken: signal,
    meta,
    carry,
    abort,
    deliver,
    answers: undefined as never, // nothing was asked here before the call
    progress: nothing,
    log: silent,
    askable: nothingAskable,
    ask: noAsk,
    once: async (_key, effect) => effect(),
    resumed: undefined,
    hangUp: nothing,
    patient: true,
    continued: false,
    clock: undefined,
    passes: undefined,
    policyVersion: undefined,
    grant: undefined,
  }
}

/** Sets `meta` on the context that it is called on, because a policy may have passed on a copy. */
function carry(this: { meta: JsonObject }, meta: JsonObject): void {
  checkMetaKeys(meta)
  this.meta = meta
}

const nothing = () => undefined

const silent = Object.assign(() => undefined, Object.fromEntries(logLevels.map((level) => [level, nothing]))) as unknown as Log // one for each level

const nothingAskable: SupportedQuestions = { form: false, page: false, model: false, roots: false }
const noAsking = () =>
  new DefinitionError('A policy of a client cannot ask through the call. Give the policy a function of its own that asks')
const refuse = () => Promise.reject(noAsking())
const noAsk: AskFunction = Object.assign(refuse, { url: refuse, model: refuse, roots: refuse, can: () => false, lacks: noAsking })
