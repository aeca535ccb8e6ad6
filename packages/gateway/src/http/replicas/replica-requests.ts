// Receives the requests that other replicas forward.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { decodeForwarded, type ForwardedNodeRequest } from './forwarded-message.js'
import { replicaHeader, replicaPath } from './replica-list.js'
import { digestOf } from './replica-seal.js'
import { requestGate } from './request-gate.js'

/** A message of the largest size, and its head. */
const mostBytes = 4 * 1024 * 1024 + 128 * 1024

type ReplicaRequestsOptions = {
  readonly key: Uint8Array
  readonly self: string
  /** Responds as if this replica had received the request directly. */
  readonly answer: (req: ForwardedNodeRequest, res: ServerResponse) => void
  /** Responds as for an unknown path, so that outsiders without the key learn nothing. */
  readonly refuse: (res: ServerResponse) => void
}

export function replicaRequests({ key, self, answer, refuse }: ReplicaRequestsOptions) {
  const gate = requestGate(key)
  return (req: IncomingMessage, res: ServerResponse): void => {
    const { method = '', headers } = req
    const shown = headers[replicaHeader]?.toString()
    const admission = gate.judge({ method, path: replicaPath, to: self }, shown)
    if (admission === 'refused') refuseUnread(req, res, refuse)
    else if ('clock' in admission) correctClock(req, res, admission.clock)
    else readBytes(req, (bytes) => receive(req, res, bytes, admission.admitted))
  }

  function receive(req: IncomingMessage, res: ServerResponse, bytes: Buffer | undefined, digest: string): void {
    const isIntact = bytes !== undefined && digestOf(bytes) === digest
    if (isIntact) res.setHeader(replicaHeader, 'taken')
    const forwarded = isIntact ? decodeForwarded(req, bytes) : undefined
    if (forwarded) answer(forwarded, res)
    else if (isIntact) res.writeHead(400).end()
    else refuse(res)
  }
}

function correctClock(req: IncomingMessage, res: ServerResponse, clock: string): void {
  res.setHeader(replicaHeader, clock)
  refuseUnread(req, res, () => void res.writeHead(409).end())
}

/** Drops the rest of the request, so that the response arrives. */
function refuseUnread(req: IncomingMessage, res: ServerResponse, refuse: (res: ServerResponse) => void): void {
  res.setHeader('connection', 'close')
  req.resume()
  refuse(res)
}

/** Reads the whole body; undefined if it is too large. */
function readBytes(req: IncomingMessage, receive: (bytes: Buffer | undefined) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  req.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= mostBytes) chunks.push(chunk)
  })
  req.once('end', () => receive(size <= mostBytes ? Buffer.concat(chunks) : undefined))
}
