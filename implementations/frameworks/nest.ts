import 'reflect-metadata';
import { type CanActivate, Controller, Get, type INestApplication, Module, type Type } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { NextFunction, Request, Response } from 'express';
import { type Account, accountOf, BASE, listening, rejection, type Served, settingsOf, welcome } from '../api';

export type ApiRequest = Request & { account: Account };

/** Authentication is middleware, which Nest runs before all guards. */
export async function onNest(
  options: ThrottlerModuleOptions,
  guard: Type<CanActivate>,
  close?: () => unknown,
): Promise<Served> {
  @Controller(BASE)
  class Api {
    @Get('webhooks')
    webhooks(): void {}

    @Get()
    base(): void {}
  }

  @Module({
    imports: [ThrottlerModule.forRoot(options)],
    controllers: [Api],
    providers: [{ provide: APP_GUARD, useClass: guard }],
  })
  class App {}

  const app: INestApplication = await NestFactory.create(App, { logger: false });
  await app.listen(0, '127.0.0.1');
  return listening(app.getHttpServer(), close);
}
