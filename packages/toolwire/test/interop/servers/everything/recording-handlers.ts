import { Declined } from 'toolwire'
import type { Answering } from 'toolwire/relay'
import type { FormAnswer } from '../../../../src/client/client.js'

export const home = { uri: 'file:///home/ada', name: 'home' }

/** Handlers with scripted answers that record the questions. */
export class RecordingHandlers {
  readonly forms: Parameters<NonNullable<Answering['form']>>[0][] = []
  readonly pages: string[] = []
  readonly requests: unknown[] = []
  answer: FormAnswer = { action: 'cancel' }
  declines = false
  roots = [home, { uri: 'file:///home/../etc', name: 'elsewhere' }]

  readonly answers: Answering = {
    form: (asked) => {
      this.forms.push(asked)
      return this.answer
    },
    page: ({ url }) => {
      this.pages.push(url)
      return { action: 'accept' }
    },
    model: ({ request }) => {
      this.requests.push(request)
      if (this.declines) throw new Declined('decline', 'not today')
      return { role: 'assistant', model: 'test-model', content: { type: 'text', text: 'Paris' } }
    },
    roots: async () => this.roots,
  }
}
