// Endless questions inside of results. spec 2026-07-28, basic/patterns/mrtr
import type { JsonObject } from '../../../src/json.js'
import { alike, type Script, type Tally } from '../fault.js'

const requestedSchema = { type: 'object', properties: { it: { type: 'string' } } }
const question = { method: 'elicitation/create', params: { mode: 'form', message: 'More?', requestedSchema } }
const inputRequired =
  (members: JsonObject): Script =>
  (wire, ask) =>
    wire.answer(ask, { resultType: 'input_required', ...members })
const answering = (tally: Tally) => ({
  answers: {
    form: () => {
      tally.asked++
      return { action: 'accept', content: { it: 'x' } } as const
    },
  },
})
const refused = { fails: 'bad_response', withinMs: 500, asked: [0, 0], seen: { 'call:bad': 1 } } as const

export const rounds = alike({ style: 'per-request', options: answering }, [
  {
    name: 'questions without end',
    ids: 'MRTR-018',
    on: { bad: inputRequired({ inputRequests: { more: question }, requestState: 'state' }) },
    shows: { fails: 'limit', asked: [10, 10], seen: { 'call:bad': [10, 11] } } as const,
  },
  {
    name: 'an endless state without questions',
    ids: 'MRTR-018',
    on: { bad: inputRequired({ requestState: 'state' }) },
    does: (client) => client.call('bad', {}, { totalMs: 3_000 }),
    shows: { fails: 'outcome_unknown', withinMs: 1_200, asked: [0, 0], seen: { 'call:bad': [2, 11] } } as const,
  },
  { name: 'no question and no state', on: { bad: inputRequired({ inputRequests: {} }) }, shows: refused },
  { name: 'questions that are a list', on: { bad: inputRequired({ inputRequests: [question] }) }, shows: refused },
  {
    name: 'a question of a kind that does not exist',
    on: { bad: inputRequired({ inputRequests: { more: { method: 'wallet/empty', params: {} } }, requestState: 's' }) },
    shows: refused,
  },
  {
    name: '100 questions at once, without end',
    on: {
      bad: inputRequired({
        inputRequests: Object.fromEntries(Array.from({ length: 100 }, (_, nth) => [`q${nth}`, question])),
      }),
    },
    shows: { fails: 'limit', asked: [0, 31] } as const,
  },
])
