import { eventsOf, type History } from '../history.js'
import { countBy, type Violation } from './violation.js'

const attemptOf = ({ call, attempt }: { readonly call: string; readonly attempt: number }) => `${call}/${attempt}`

/** Each attempt has exactly one answer: its own result, or an error with a reason. */
export function checkAnswers(history: History): Violation[] {
  const answered = eventsOf(history, 'answered')
  const counts = countBy(answered, attemptOf)
  const sent = eventsOf(history, 'sent').map(attemptOf)
  const texts = [
    ...sent.filter((id) => !counts.has(id)).map((id) => `${id} was never answered`),
    ...[...counts].filter(([, times]) => times > 1).map(([id, times]) => `${id} was answered ${times} times`),
    ...answered.filter(({ how }) => how === 'untyped').map((one) => `${attemptOf(one)} failed without a type: ${one.text}`),
    ...answered
      .filter(({ how, call, text }) => how === 'done' && text !== `done ${call}`)
      .map((one) => `${attemptOf(one)} was answered with ${JSON.stringify(one.text)}`),
  ]
  return texts.map((text) => ({ invariant: 'answers', text }))
}
