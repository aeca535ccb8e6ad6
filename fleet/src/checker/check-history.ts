// Checks a history. It uses only the upstreams' files, the clients' notes and the tables, and none of the product's code.
import { eventsOf, type History } from '../history.js'
import { checkAnswers } from './answers.js'
import { checkApprovals } from './approvals.js'
import { checkChains } from './chains.js'
import { checkExecutions } from './executions.js'
import { checkRates } from './rates.js'
import { checkRecords } from './records.js'
import { checkRolling, checkSessions } from './rolling.js'
import { checkSpooling } from './spooling.js'
import type { Violation } from './violation.js'

/** Tools that need approval under the policy of a run. */
const isRisky = (tool: string): boolean => tool === 'risky'

export function checkHistory(history: History): readonly Violation[] {
  return [
    ...checkExecutions(history),
    ...checkApprovals(history, isRisky),
    ...checkRecords(history),
    ...checkChains(history),
    ...checkAnswers(history),
    ...checkRates(history),
    ...checkRolling(history),
    ...checkSessions(history),
    ...checkSpooling(history),
    ...checkRecovery(history),
  ]
}

const recoveryMs = 10_000

function checkRecovery(history: History): Violation[] {
  return eventsOf(history, 'recovered').flatMap(({ client, ms }) => {
    if (ms !== null && ms <= recoveryMs) return []
    return [
      { invariant: 'recovery' as const, text: `${client} ${ms === null ? 'got no result' : `waited ${ms} ms`} after the faults` },
    ]
  })
}
