// fastify and rpg-dice-roller: one expression, rolled; what comes in and what goes out is described, so that both are compiled.
import { DiceRoll } from '@dice-roller/rpg-dice-roller'
import Fastify from 'fastify'

const text = { type: 'string' }
const schema = {
  body: { type: 'object', required: ['expression'], properties: { expression: { ...text, maxLength: 100 } } },
  response: { 200: { type: 'object', properties: { output: text, total: { type: 'integer' } } } },
}
const app = Fastify()
app.post('/roll', { schema }, async (request) => {
  const { output, total } = new DiceRoll(request.body.expression)
  return { output, total }
})
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) })
