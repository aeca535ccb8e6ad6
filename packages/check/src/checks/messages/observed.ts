// Requirements for every message that the server sent.
import type { JsonObject } from 'toolwire'
import { type Check, checksOf } from '../../check.js'
import { isObject, jsonOf, textOf } from '../../json.js'
import { every, perRequest } from '../../revisions.js'
import type { MessageRule } from '../../session/observations.js'
import { errorCodeOf, isResponseMessage, resultOf } from '../../session/session.js'
import { enforcedUnless, enforcedUnlessAny, notTried } from '../../verdict.js'

/** A line of a stack trace, or a path into a user's or system folder. */
const inner = /\n[ \t]+at \S+|Traceback \(most recent|(?:^|[\s"'(])\/(?:home|Users|root|usr|var)\/\S+|[A-Z]:\\Users\\/

export const isAny = (): boolean => true
const isResponse = (one: JsonObject): boolean => !('method' in one)
const isResult = (one: JsonObject): boolean => resultOf(one) !== undefined
const isError = (one: JsonObject): boolean => isResponseMessage(one) && 'error' in one

/** A check of every message that `concerns` accepts. */
export function eachMessage(
  concerns: MessageRule['concerns'],
  fault: MessageRule['fault'],
): Required<Pick<Check, 'observes' | 'run'>> {
  const observes = { concerns, fault }
  const run: Check['run'] = ({ observed }) => {
    const { count, faults } = observed(observes)
    if (count === 0) return notTried('The server sent no such message')
    return enforcedUnless([...faults], `Messages checked: ${count}`)
  }
  return { observes, run }
}

export const observedChecks = checksOf({ level: 'MUST', revisions: every, page: 'basic' })({
  'said-jsonrpc': {
    sentence: 'Every message of the server has "jsonrpc": "2.0".',
    how: 'Reads all messages received',
    ...eachMessage(isAny, ({ jsonrpc }) => (jsonrpc === '2.0' ? undefined : `One message has ${jsonOf(jsonrpc)}`)),
  },
  'said-one-of': {
    sentence: 'A response has a result or an error, and not both.',
    how: 'Reads all responses received',
    ...eachMessage(isResponse, (one) => ('result' in one !== 'error' in one ? undefined : 'One response has both or neither')),
  },
  'said-error': {
    sentence: 'An error has an integer code and a message.',
    how: 'Reads all errors received',
    ...eachMessage(isError, ({ error }) =>
      isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string'
        ? undefined
        : 'One error has no integer code or no message',
    ),
  },
  'said-no-internals': {
    level: 'ADVICE',
    sentence: 'Errors contain no stack traces or paths.',
    how: 'Reads all errors received',
    ...eachMessage(isError, ({ error }) =>
      isObject(error) && inner.test(textOf(error.message)) ? 'One error contains a stack trace or a path' : undefined,
    ),
  },
  'said-codes': {
    revisions: [perRequest],
    sentence: 'Errors do not use reserved or withdrawn codes.',
    how: 'Reads all errors received',
    ...eachMessage(isError, (one) =>
      isFree(errorCodeOf(one)) ? undefined : `One error has the code ${textOf(errorCodeOf(one))}`,
    ),
  },
  'said-result-type': {
    revisions: [perRequest],
    sentence: 'Every result has a resultType.',
    how: 'Reads all results received',
    ...eachMessage(isResult, (one) =>
      typeof resultOf(one)?.resultType === 'string' ? undefined : 'One result has no resultType',
    ),
  },
  'said-no-requests': {
    revisions: [perRequest],
    page: 'basic/patterns',
    sentence: 'The server sends no requests.',
    how: 'Reads all messages received',
    ...eachMessage(isAny, (one) => ('id' in one && 'method' in one ? `The server requested ${textOf(one.method)}` : undefined)),
  },
  'stdio-only-messages': {
    over: 'stdio',
    page: 'basic/transports',
    sentence: 'A server writes only messages to its standard output, one per line.',
    how: 'Reads all messages received',
    run: ({ strays }) => enforcedUnlessAny(strays, (line) => `The server wrote ${line}`, 'Only messages came'),
  },
})

// spec 2026-07-28, basic#error-codes
const defined: ReadonlySet<unknown> = new Set([-32020, -32021, -32022])
function isFree(code: unknown): boolean {
  if (typeof code !== 'number' || code === -32002 || code === -32042) return false
  return code > -32020 || code < -32099 || defined.has(code)
}
