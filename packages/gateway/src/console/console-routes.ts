import { isOperator } from '../access/authenticate.js'
import { HttpRefusal, type Manager, type Route, route } from '../api/route.js'
import { withoutUndefined } from '../json/without-undefined.js'
import { runRecorded } from '../store/audit/record-action.js'
import type { StoredSession } from '../store/store.js'
import type { ConsoleServer } from './console-server.js'
import type { LinkIssuer } from './login-links.js'
import { endSession, sessionActor } from './session-endpoint.js'

const consoleOff =
  'The console is switched off: toolwire.console in the config is false, or the gateway was started with --no-console'

/** Routes for login links, and for the sessions of signed-in browsers. */
export function consoleRoutes(page: ConsoleServer | undefined): readonly Route[] {
  const consoleServer = (): ConsoleServer => {
    if (!page) throw new HttpRefusal(404, consoleOff)
    return page
  }
  return [
    route('POST /console/links', 'Creates a link to the console, which works once, within five minutes', {
      answers: { 201: 'The link', 403: 'Console sessions cannot create links', 404: 'The console is switched off' },
      async handle({ control, caller }) {
        const { sessions } = consoleServer()
        // A stolen session must not be able to extend itself with new links.
        if (sessions.list().some((session) => sessionActor(session) === caller.id))
          throw new HttpRefusal(403, 'A console session cannot create links. Run toolwire console in a terminal')
        const about = { by: caller.id, act: 'make-console-link', about: {} }
        const made = runRecorded(control.log, about, () => consoleServer().newLink(makerOf(caller)))
        return { status: 201, json: await made }
      },
    }),
    route('GET /console/sessions', 'The browsers that are signed in to the console, and when their sessions expire', {
      answers: { 404: 'The console is switched off' },
      handle({ caller }) {
        const { sessions } = consoleServer()
        return { json: { sessions: sessions.list().map((session) => sessionView(session, consoleServer(), caller.id)) } }
      },
    }),
    route('DELETE /console/sessions/{id}', 'Ends the session of a browser, at once', {
      answers: { 404: 'There is no such session, or the console is switched off' },
      async handle({ control, params: { id = '' }, caller }) {
        const { sessions } = consoleServer()
        if (!sessions.list().some((session) => session.id === id)) throw new HttpRefusal(404, 'There is no such session')
        await endSession(id, caller.id, { sessions, log: control.log })
        return { json: { id, ended: true } }
      },
    }),
  ]
}

/** The issuer of a link. The management token is new with each start, so sessions do not end with it. */
const makerOf = (caller: Manager): LinkIssuer =>
  withoutUndefined({
    openedBy: isOperator(caller) ? undefined : caller.id,
    credential: caller.credential,
    until: caller.expiresAt,
  })

export type SessionView = ReturnType<typeof sessionView>

const sessionView = (session: StoredSession, { sessions }: ConsoleServer, caller: string) => ({
  id: session.id,
  browser: session.browser,
  startedAt: session.startedAt,
  usedAt: session.usedAt,
  ...sessions.times(session),
  own: sessionActor(session) === caller,
})
