import { CallFailure } from 'toolwire/client'
import { OAuthFailure } from 'toolwire/client/oauth'
import type { types } from 'toolwire/relay'
import type { Play } from './play.js'

/**
 * Some servers must be refused at login. The suite accepts a crash of the client, but ours must give the expected reason and keep running.
 */
export const refused =
  (play: Play, expected: types.OAuthFailureCode | 403): Play =>
  async (setting) => {
    const thrown: unknown = await play(setting).then(
      () => new Error('The login went through'),
      (reason: unknown) => reason,
    )
    if (!(thrown instanceof CallFailure) || thrown.code !== 'turned_away' || reasonOf(thrown) !== expected) throw thrown
  }

/** The reason of the login's failure, or else the HTTP status that the server insists on. */
function reasonOf({ cause, status }: CallFailure): unknown {
  const reason = cause instanceof Error ? cause.cause : undefined
  return reason instanceof OAuthFailure ? reason.code : status
}
