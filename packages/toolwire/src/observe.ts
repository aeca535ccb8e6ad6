// Spans and metrics of calls through `@opentelemetry/api`.

export { type ObserveOptions, observe } from './policy/observe/index.js'
export type { ObserveContentOptions, ObservedContent, RedactContent } from './policy/observe/recorded-content.js'
