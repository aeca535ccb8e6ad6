// The fixture as a program on stdio that uses the built library. Its argument is JSON with the options.
import { serveStdio } from 'toolwire/stdio'
import { fixture } from './fixture.js'

await serveStdio(fixture(JSON.parse(process.argv[2] ?? '{}')))
