// What everything that came has in common.
import type { JsonObject } from 'toolwire'
import type { Attempt } from '../../attempt.js'
import type { Check } from '../../check.js'
import { isObject } from '../../json.js'
import { every, perRequest } from '../../revisions.js'
import { errorCodeOf, isResponseMessage, resultOf } from '../../session/session.js'
import { excerptOf } from '../../session/transcript.js'
import { enforced, enforcedUnless, notTried, type Verdict } from '../../verdict.js'

const page = 'basic'
/** A line of a stack, or a path into somebody's folders. */
const inner = /\n\s+at \S+|Traceback \(most recent|(?:^|[\s"'(])\/(?:home|Users|root|usr|var)\/\S+|[A-Z]:\\Users\\/

export const observedChecks: readonly Check[] = [
  {
    id: 'said-jsonrpc',
    level: 'MUST',
    revisions: every,
    page,
    sentence: 'Every message of the server says "jsonrpc": "2.0".',
    how: 'Looks at everything that came',
    run: (attempt) =>
      eachMessage(
        attempt,
        () => true,
        ({ jsonrpc }) => (jsonrpc === '2.0' ? undefined : `One says ${JSON.stringify(jsonrpc)}`),
      ),
  },
  {
    id: 'said-one-of',
    level: 'MUST',
    revisions: every,
    page,
    sentence: 'A response has a result or an error, and not both.',
    how: 'Looks at every response that came',
    run: (attempt) =>
      eachMessage(attempt, isResponse, (one) => ('result' in one !== 'error' in one ? undefined : 'One has both, or neither')),
  },
  {
    id: 'said-error',
    level: 'MUST',
    revisions: every,
    page,
    sentence: 'An error has a whole number as its code, and a message.',
    how: 'Looks at every error that came',
    run: (attempt) =>
      eachMessage(attempt, isError, ({ error }) =>
        isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string' ? undefined : 'One has not',
      ),
  },
  {
    id: 'said-no-internals',
    level: 'ADVICE',
    revisions: every,
    page,
    sentence: 'Errors tell nothing of stacks and of folders.',
    how: 'Looks at every error that came',
    run: (attempt) =>
      eachMessage(attempt, isError, ({ error }) =>
        isObject(error) && inner.test(String(error.message)) ? 'One does' : undefined,
      ),
  },
  {
    id: 'said-codes',
    level: 'MUST',
    revisions: [perRequest],
    page,
    sentence: 'Codes that are reserved, or were withdrawn, are not used.',
    how: 'Looks at every error that came',
    run: (attempt) =>
      eachMessage(attempt, isError, (one) =>
        isFree(errorCodeOf(one)) ? undefined : `One has the code ${String(errorCodeOf(one))}`,
      ),
  },
  {
    id: 'said-result-type',
    level: 'MUST',
    revisions: [perRequest],
    page,
    sentence: 'Every result says of what kind it is.',
    how: 'Looks at every result that came',
    run: (attempt) =>
      eachMessage(
        attempt,
        (one) => resultOf(one) !== undefined,
        (one) => (typeof resultOf(one)?.resultType === 'string' ? undefined : 'One has no resultType'),
      ),
  },
  {
    id: 'said-no-requests',
    level: 'MUST',
    revisions: [perRequest],
    page: 'basic/patterns',
    sentence: 'The server sends no requests.',
    how: 'Looks at everything that came',
    run: (attempt) =>
      eachMessage(
        attempt,
        () => true,
        (one) => ('id' in one && 'method' in one ? `It asked for ${String(one.method)}` : undefined),
      ),
  },
  {
    id: 'stdio-only-messages',
    level: 'MUST',
    revisions: every,
    over: 'stdio',
    page: 'basic/transports',
    sentence: 'A server writes nothing but messages to its standard output, one to a line.',
    how: 'Looks at everything that came',
    run: ({ strayMessages: strays }) =>
      enforcedUnless(
        strays.map((line) => `It wrote ${excerptOf(line)}`),
        'Nothing else came',
      ),
  },
]

const isResponse = (one: JsonObject): boolean => !('method' in one)
const isError = (one: JsonObject): boolean => isResponseMessage(one) && 'error' in one

/** Looks at each of the messages that came. */
export function eachMessage(
  attempt: Attempt,
  concerns: (one: JsonObject) => boolean,
  fault: (one: JsonObject) => string | undefined,
): Verdict {
  const told = attempt.received.filter(concerns)
  if (told.length === 0) return notTried('There was none')
  const faults = [...new Set(told.flatMap((one) => fault(one) ?? []))]
  return faults.length === 0 ? enforced(`${told.length} looked at`) : enforcedUnless(faults, '')
}

// spec 2026-07-28, basic#error-codes
const defined: ReadonlySet<unknown> = new Set([-32020, -32021, -32022])
function isFree(code: unknown): boolean {
  if (typeof code !== 'number' || code === -32002 || code === -32042) return false
  return code > -32020 || code < -32099 || defined.has(code)
}
