import { CallFailure } from 'toolwire/client'
import { OAuthFailure } from 'toolwire/client/oauth'
import type { types } from 'toolwire/relay'
import type { Play } from './play.js'

/**
 * Some servers must not be logged in to. The suite lets a client crash there; ours has to say no for the right reason, and to
 * go on.
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

/** The login's own reason, or else the status that the server insists on. */
function reasonOf({ cause, status }: CallFailure): unknown {
  const reason = cause instanceof Error ? cause.cause : undefined
  return reason instanceof OAuthFailure ? reason.code : status
}
