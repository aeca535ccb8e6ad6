// Spans and measurements of calls, for whoever listens to `@opentelemetry/api`.

export { type ObserveOptions, observe } from './policy/observe/index.js'
export type { ObserveContentOptions, ObservedContent, RedactContent } from './policy/observe/recorded-content.js'
