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
      changeMessage: (said) =>
        said.method === 'notifications/progress' ? { ...said, params: { ...asObject(said.params), progress: 1 } } : said,
    }),
  ],
  [
    'progress-token',
    dialects,
    () => ({
      changeMessage: (said) =>
        said.method === 'notifications/progress'
          ? { ...said, params: { ...asObject(said.params), progressToken: 'other' } }
          : said,
    }),
  ],
  [
    'progress-unasked',
    dialects,
    changingStream(
      (message) => !('progressToken' in metaOf(message)),
      (said) => streamed(progress('nobody-sent-this', 1), said),
    ),
  ],
  [
    'progress-ends',
    dialects,
    changingStream(
      (message) => 'progressToken' in metaOf(message),
      (said, message) => streamed(said, progress(metaOf(message).progressToken ?? null, 4)),
    ),
  ],
]
