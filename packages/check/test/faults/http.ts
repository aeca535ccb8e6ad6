import { always, type Case, dialects, heading, isNoTool, onText, stateless, status, steps, structured } from './changes.js'

export const httpCases: readonly Case[] = [
  [
    'http-answer-type',
    dialects,
    () => ({
      reply: ({ headers }, { method }) =>
        method === 'tools/list' ? { headers: { ...headers, 'content-type': 'text/html' } } : undefined,
    }),
  ],
  ['http-notification', dialects, status(({ method }) => method === 'notifications/cancelled', 200)],
  ['http-content-type', dialects, heading('content-type', 'text/plain', 'application/json')],
  ['http-accept', dialects, heading('accept', 'image/png', 'application/json, text/event-stream')],
  ['http-get', dialects, () => ({ instead: ({ method }) => (method === 'GET' ? { status: 404 } : undefined) })],
  ['http-origin', structured, heading('origin', 'https://evil.example', undefined)],
  ['http-origin-403', dialects, heading('origin', 'https://evil.example', undefined)],
  [
    'http-cors',
    dialects,
    () => ({
      instead: ({ method }) =>
        method === 'OPTIONS' ? { status: 204, headers: { 'access-control-allow-origin': '*' } } : undefined,
    }),
  ],
  ['http-host', dialects, heading('host', 'evil.example', 'localhost')],
  ['http-version', dialects, heading('mcp-protocol-version', '1.0', dialects)],
  ['http-parse-status', dialects, onText('{bad', { reply: () => ({ status: 200 }) })],
  ['http-error-status', dialects, status(isNoTool, 400)],
  ['http-stream-ends', dialects, steps(always, () => ({ open: true }))],
  ['http-unbuffered', stateless, steps(always, ({ headers: { 'x-accel-buffering': _, ...headers } }) => ({ headers }))],
]
