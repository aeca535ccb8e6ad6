// A separate program that installed.test.ts compiles without the types of Node.
import { server, tool } from 'toolwire'
import { connect } from 'toolwire/client'
import { harness } from 'toolwire/testing'

export const app = server({ name: 'shop', version: '1.0.0', tools: { ping: tool({ run: () => 'pong' }) } })
export const shop = await connect<typeof app>('https://shop.example/mcp')
export const tested = await harness(app)
