import type { Answering } from 'toolwire/relay'

/** In whose name nothing is answered. */
export const nobody = 'nobody'

/** The person behind a caller, who notes what is asked. */
export const personNoting = (asked: string[]): Answering => ({
  form: ({ message }) => {
    asked.push(message)
    return message.includes(nobody) ? { action: 'decline' } : { action: 'accept', content: { people: 4 } }
  },
})
