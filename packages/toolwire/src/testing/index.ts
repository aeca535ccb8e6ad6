export { type Harness, harness } from './harness.js'
