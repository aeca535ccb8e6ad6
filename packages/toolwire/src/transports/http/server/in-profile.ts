import type { Application } from '../../../peer/application.js'
import { pocketRevisions } from '../../../revisions/index.js'
import type { HttpOptions } from './options.js'

/** The application as it is spoken with at one address: its tools, its guard and its sessions are the same as everywhere. */
export function inProfile(app: Application, profile: HttpOptions['profile']): Application {
  if (profile !== 'pocket') return app
  return {
    revisions: pocketRevisions,
    receive(message, conversation, line) {
      conversation.revisions = pocketRevisions
      return app.receive(message, conversation, line)
    },
    join: (conversation) => app.join(conversation),
    leave: (conversation) => app.leave(conversation),
    drain: (ms) => app.drain(ms),
    sealer: app.sealer,
    get scopes() {
      return app.scopes
    },
  }
}
