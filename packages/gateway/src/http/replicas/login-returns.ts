// Finishes a login at the replica that began it, because a load balancer may send the user back to any replica.
import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { sendJson } from '../../api/responses.js'
import { LoginFailure, type LoginReturn, loginNotPending, type PendingLogin } from '../../upstreams/logins/logins.js'
import { encodeOwn, type ForwardedNodeRequest } from './forwarded-message.js'
import { ReplicaGone, type ReplicaSender } from './replica-connection.js'
import { findReplica, type ReplicaAddress, type ReplicaList, replicaPath } from './replica-list.js'

/** Only inside sealed requests of other replicas. */
export const loginReturnPath = `${replicaPath}/login`

/** Longer than the requests to the authorization server and the upstream together. */
const finishMs = 60_000

/** A failure has a `why` if it is a `LoginFailure`. */
type Outcome = { readonly finished: PendingLogin } | { readonly message: string; readonly why?: LoginFailure['why'] }

export type FinishLogin = (given: LoginReturn) => Promise<PendingLogin>

/** Responds to the requests of `sendLoginReturn`. */
export async function answerLoginReturn(req: ForwardedNodeRequest, res: ServerResponse, finish: FinishLogin): Promise<void> {
  sendJson(res, 200, await outcomeOf(req, finish))
}

async function outcomeOf({ body }: ForwardedNodeRequest, finish: FinishLogin): Promise<Outcome> {
  try {
    return { finished: await finish(JSON.parse(Buffer.from(body).toString()) as LoginReturn) } // a replica has sealed it
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return thrown instanceof LoginFailure ? { message, why: thrown.why } : { message }
  }
}

type Replicas = { readonly list: ReplicaList; readonly send: ReplicaSender }

/** Has a login finished by the replica with this id. */
export async function sendLoginReturn({ list, send }: Replicas, id: string, given: LoginReturn): Promise<PendingLogin> {
  const replica = await findReplica(list, id)
  if (!replica) throw loginNotPending()
  const outcome = await outcomeFrom(send, replica, given)
  if ('finished' in outcome) return outcome.finished
  throw outcome.why === undefined ? new Error(outcome.message) : new LoginFailure(outcome.why, outcome.message)
}

async function outcomeFrom(send: ReplicaSender, replica: ReplicaAddress, given: LoginReturn): Promise<Outcome> {
  const options = { answerMs: finishMs, signal: AbortSignal.timeout(finishMs) }
  try {
    const response = await send(replica, encodeOwn(loginReturnPath, given), options)
    const body = await text(response)
    if (response.statusCode === 200) return JSON.parse(body) as Outcome // from `answerLoginReturn`
  } catch (cause) {
    if (!(cause instanceof ReplicaGone)) throw new LoginFailure('failed', noAnswer, { cause })
  }
  throw loginNotPending()
}

const noAnswer = 'The replica that began this login does not answer. Try again in a moment, or start another login'
