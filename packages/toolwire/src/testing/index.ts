export { type CallResult, type Calls, ToolCallError } from '../tools/calls.js'
export { type Answers, type Frame, type Harness, type HarnessOptions, harness } from './harness.js'
