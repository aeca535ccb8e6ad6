import { asObject, type Case, dialects, replacingRequest } from './changes.js'

export const strainCases: readonly Case[] = [
  ['strain-headers', dialects, () => ({ changeRequest: ({ headers: { 'x-check': _, ...headers } }) => ({ headers }) })],
  [
    'strain-depth',
    dialects,
    () => ({
      changeRequest: ({ body: bytes }) =>
        bytes.includes('[[[[[') ? { body: Buffer.from(bytes.toString().replace(/\[\[+\]+\]/, '0')) } : undefined,
    }),
  ],
  [
    'strain-body',
    dialects,
    replacingRequest(
      ({ params }) => typeof asObject(params).check === 'string',
      (message) => ({ ...message, params: {} }),
    ),
  ],
]
