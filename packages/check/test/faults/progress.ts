import type { Json, JsonObject } from 'toolwire'
import { asObject, type Case, changingStream, dialects, metaOf, streamed } from './changes.js'

const progress = (progressToken: Json, done: number): JsonObject => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: done },
})

export const progressCases: readonly Case[] = [
  [
    'progress-increases',
    dialects,
    () => ({
      changeMessage: (reply) =>
        reply.method === 'notifications/progress' ? { ...reply, params: { ...asObject(reply.params), progress: 1 } } : reply,
    }),
  ],
  [
    'progress-token',
    dialects,
    () => ({
      changeMessage: (reply) =>
        reply.method === 'notifications/progress'
          ? { ...reply, params: { ...asObject(reply.params), progressToken: 'other' } }
          : reply,
    }),
  ],
  [
    'progress-unasked',
    dialects,
    changingStream(
      (message) => !('progressToken' in metaOf(message)),
      (reply) => streamed(progress('nobody-sent-this', 1), reply),
    ),
  ],
  [
    'progress-ends',
    dialects,
    changingStream(
      (message) => 'progressToken' in metaOf(message),
      (reply, message) => streamed(reply, progress(metaOf(message).progressToken ?? null, 4)),
    ),
  ],
]
