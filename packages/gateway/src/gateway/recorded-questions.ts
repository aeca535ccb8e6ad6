// What servers ask people stands in the audit log: whose question it was, what it said, whom it was put to, and whether it was answered.
import { randomUUID } from 'node:crypto'
import { Suspension } from 'toolwire'
import { visibleLine } from 'toolwire/client'
import type { AuditLog, Outcome } from 'toolwire/guard'
import type { OnQuestion, Put } from '../offers/parking-lot.js'

const longest = 1_000

/** No record, no question. What is answered is not recorded. */
export const recordingQuestions =
  (logOf: () => AuditLog | undefined): OnQuestion =>
  async ({ caller, server, question }, ask) => {
    const log = logOf()
    if (!log) return ask()
    const startedAt = performance.now()
    const common = {
      id: `ask-${randomUUID()}`,
      server,
      tool: 'toolwire/ask',
      definitionHash: 'none',
      caller: visibleLine(caller.id),
    }
    await log.append({ ...common, kind: 'intent', at: Date.now(), arguments: aboutOf(question) })
    const end = (outcome: Outcome['outcome']) =>
      log.append({
        ...common,
        kind: 'outcome',
        at: Date.now(),
        durationMs: performance.now() - startedAt,
        decision: 'allowed',
        outcome,
      })
    try {
      await ask()
    } catch (thrown) {
      await end(thrown instanceof Suspension ? 'asked' : 'failed')
      throw thrown
    }
    await end('ok')
  }

function aboutOf(question: Put['question']) {
  const { kind } = question
  if (kind === 'form') return { kind, message: shown(question.message) }
  return kind === 'page' ? { kind, message: shown(question.message), url: shown(question.url) } : { kind }
}

const shown = (text: string): string => visibleLine(text.slice(0, longest))
