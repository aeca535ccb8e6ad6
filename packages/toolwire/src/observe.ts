// Spans and measurements of calls, for whoever listens to `@opentelemetry/api`.
export type { ObserveContentOptions, ObservedContent, RedactContent } from './policy/observe/content.js'
export { type ObserveOptions, observe } from './policy/observe/observe.js'
