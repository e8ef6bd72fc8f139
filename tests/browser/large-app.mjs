/** An application with 1,000 routes in 100 plugins, and 300 providers. */
import { Controller, Get, Plugin } from '../../dist/decorators/index.js'

const named = (name) => ({ [name]: class {} })[name]
const params = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }

function pluginOf(index) {
  const providers = ['Store', 'Service', 'Cache'].map((name) => named(`${name}${index}`))
  providers[1].inject = [providers[0], providers[2]]
  const controller = named(`Controller${index}`)
  controller.inject = [providers[1]]
  for (let route = 0; route < 10; route++) {
    const property = { type: 'string', maxLength: route + 1, description: `The text ${route} of ${index}` }
    const response = { 200: { type: 'object', properties: { [`text${route}`]: property, count: { type: 'integer' } } } }
    controller.prototype[`find${route}`] = () => ({})
    const method = Object.getOwnPropertyDescriptor(controller.prototype, `find${route}`)
    Get(`/part-${route}/:id`, { params, response })(controller.prototype, `find${route}`, method)
  }
  Controller(`/area-${index}`)(controller)
  const guard = named(`Guard${index % 12}`)
  guard.prototype.onRequest = () => {}
  const plugin = named(`Area${index}`)
  Plugin({ providers, routes: [controller], hooks: index % 9 === 0 ? {} : { onRequest: guard } })(plugin)
  return plugin
}

export const LargeApp = named('LargeApp')
Plugin({ imports: Array.from({ length: 100 }, (_, index) => pluginOf(index)) })(LargeApp)
