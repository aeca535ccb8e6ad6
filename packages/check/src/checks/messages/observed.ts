// Requirements for every message that the server sent.
import type { JsonObject } from 'toolwire'
import { type Check, checksOf } from '../../check.js'
import { isObject } from '../../json.js'
import { every, perRequest } from '../../revisions.js'
import { errorCodeOf, isResponseMessage, resultOf } from '../../session/session.js'
import { excerptOf } from '../../session/transcript.js'
import { enforcedUnless, enforcedUnlessAny, notTried } from '../../verdict.js'

/** A line of a stack trace, or a path into a user's or system folder. */
const inner = /\n\s+at \S+|Traceback \(most recent|(?:^|[\s"'(])\/(?:home|Users|root|usr|var)\/\S+|[A-Z]:\\Users\\/

export const isAny = (): boolean => true
const isResponse = (one: JsonObject): boolean => !('method' in one)
const isResult = (one: JsonObject): boolean => resultOf(one) !== undefined
const isError = (one: JsonObject): boolean => isResponseMessage(one) && 'error' in one

export function eachMessage(
  concerns: (one: JsonObject) => boolean,
  fault: (one: JsonObject) => string | undefined,
): Check['run'] {
  return ({ received }) => {
    const told = received.filter(concerns)
    if (told.length === 0) return notTried('There was none')
    return enforcedUnless([...new Set(told.flatMap((one) => fault(one) ?? []))], `${told.length} looked at`)
  }
}

export const observedChecks = checksOf({ level: 'MUST', revisions: every, page: 'basic' })({
  'said-jsonrpc': {
    sentence: 'Every message of the server says "jsonrpc": "2.0".',
    how: 'Looks at everything that came',
    run: eachMessage(isAny, ({ jsonrpc }) => (jsonrpc === '2.0' ? undefined : `One says ${JSON.stringify(jsonrpc)}`)),
  },
  'said-one-of': {
    sentence: 'A response has a result or an error, and not both.',
    how: 'Looks at every response that came',
    run: eachMessage(isResponse, (one) => ('result' in one !== 'error' in one ? undefined : 'One has both, or neither')),
  },
  'said-error': {
    sentence: 'An error has a whole number as its code, and a message.',
    how: 'Looks at every error that came',
    run: eachMessage(isError, ({ error }) =>
      isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string' ? undefined : 'One has not',
    ),
  },
  'said-no-internals': {
    level: 'ADVICE',
    sentence: 'Errors tell nothing of stacks and of folders.',
    how: 'Looks at every error that came',
    run: eachMessage(isError, ({ error }) => (isObject(error) && inner.test(String(error.message)) ? 'One does' : undefined)),
  },
  'said-codes': {
    revisions: [perRequest],
    sentence: 'Codes that are reserved, or were withdrawn, are not used.',
    how: 'Looks at every error that came',
    run: eachMessage(isError, (one) => (isFree(errorCodeOf(one)) ? undefined : `One has the code ${String(errorCodeOf(one))}`)),
  },
  'said-result-type': {
    revisions: [perRequest],
    sentence: 'Every result says of what kind it is.',
    how: 'Looks at every result that came',
    run: eachMessage(isResult, (one) => (typeof resultOf(one)?.resultType === 'string' ? undefined : 'One has no resultType')),
  },
  'said-no-requests': {
    revisions: [perRequest],
    page: 'basic/patterns',
    sentence: 'The server sends no requests.',
    how: 'Looks at everything that came',
    run: eachMessage(isAny, (one) => ('id' in one && 'method' in one ? `It asked for ${String(one.method)}` : undefined)),
  },
  'stdio-only-messages': {
    over: 'stdio',
    page: 'basic/transports',
    sentence: 'A server writes nothing but messages to its standard output, one to a line.',
    how: 'Looks at everything that came',
    run: ({ strayMessages: strays }) => enforcedUnlessAny(strays, (line) => `It wrote ${excerptOf(line)}`, 'Nothing else came'),
  },
})

// spec 2026-07-28, basic#error-codes
const defined: ReadonlySet<unknown> = new Set([-32020, -32021, -32022])
function isFree(code: unknown): boolean {
  if (typeof code !== 'number' || code === -32002 || code === -32042) return false
  return code > -32020 || code < -32099 || defined.has(code)
}
