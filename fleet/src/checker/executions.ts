import { eventsOf, type History } from '../history.js'
import { countBy, type Violation } from './violation.js'

/** A call is executed at most once, and never after its caller was told that it was refused. */
export function checkExecutions(history: History): Violation[] {
  const executed = eventsOf(history, 'executed')
  const counts = countBy(executed, ({ call }) => call)
  const twice = [...counts].filter(([, times]) => times > 1).map(([call, times]) => `${call} was executed ${times} times`)
  const answers = eventsOf(history, 'answered')
  const refused = new Set(answers.flatMap(({ how, call }) => (how === 'refused' ? [call] : [])))
  // Another attempt of the same call may have been carried out.
  for (const { how, call } of answers) if (how !== 'refused') refused.delete(call)
  const anyway = [...refused].filter((call) => counts.has(call)).map((call) => `${call} was refused and executed`)
  const answered = answers.filter(({ how }) => how === 'done')
  const never = answered.filter(({ call }) => !counts.has(call)).map(({ call }) => `${call} was answered and never executed`)
  return [...twice, ...anyway, ...never].map((text) => ({ invariant: 'once', text }))
}
