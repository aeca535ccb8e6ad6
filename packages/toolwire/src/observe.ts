// toolwire/observe: spans and measurements of calls, through `@opentelemetry/api`.
export { observe } from './policy/observe/index.js'
