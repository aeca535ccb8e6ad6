import type { Answering } from 'toolwire/relay'

/** Questions with this name get no answer. */
export const nobody = 'nobody'

/** The person behind a caller, who answers and records questions. */
export const personNoting = (asked: string[]): Answering => ({
  form: ({ message }) => {
    asked.push(message)
    return message.includes(nobody) ? { action: 'decline' } : { action: 'accept', content: { people: 4 } }
  },
})
