// Records questions of servers to people in the audit log: the server, the text, the person, and whether the question was answered.
import { randomUUID } from 'node:crypto'
import { Declined, Refusal } from 'toolwire'
import type { AuditLog, AuditOutcome } from 'toolwire/guard'
import { plainText, Suspension } from 'toolwire/relay'
import type { OnQuestion, PutQuestion, QuestionOutcome } from './suspended-calls.js'

const longest = 1_000

type Ending = Pick<AuditOutcome, 'decision' | 'outcome' | 'reason'>

/** A question that cannot be recorded is not asked. Answers are not recorded. */
export const recordQuestions =
  (logOf: () => AuditLog | undefined): OnQuestion =>
  async ({ caller, server, question }, ask) => {
    const log = logOf()
    if (!log) return void (await ask())
    const startedAt = performance.now()
    const common = {
      id: `ask-${randomUUID()}`,
      server,
      tool: 'toolwire/ask',
      definitionHash: 'none',
      caller: plainText.visibleLine(caller.id),
    }
    await log.append({ ...common, kind: 'intent', at: Date.now(), arguments: auditedQuestion(question) })
    const end = (ending: Ending) =>
      log.append({ ...common, kind: 'outcome', at: Date.now(), durationMs: performance.now() - startedAt, ...ending })
    let settled: QuestionOutcome
    try {
      settled = await ask()
    } catch (thrown) {
      await end(endingOf(thrown))
      throw thrown
    }
    await end({ decision: 'allowed', outcome: settled === 'answered' ? 'ok' : 'cancelled' })
  }

/** A refusal counts as an answer; a question that was closed or could not be asked has none. */
function endingOf(thrown: unknown): Ending {
  if (thrown instanceof Suspension) return { decision: 'allowed', outcome: 'asked' }
  if (thrown instanceof Declined) return { decision: 'allowed', outcome: thrown.action === 'decline' ? 'ok' : 'cancelled' }
  const reason = thrown instanceof Refusal ? { reason: thrown.reason } : {}
  return { decision: 'allowed', outcome: 'failed', ...reason }
}

function auditedQuestion(question: PutQuestion['question']) {
  const { kind } = question
  if (kind === 'form') return { kind, message: visibleText(question.message) }
  return kind === 'page' ? { kind, message: visibleText(question.message), url: visibleText(question.url) } : { kind }
}

const visibleText = (text: string): string => plainText.visibleLine(text.slice(0, longest))
