"""Jobs that nobody waits for any more."""

from __future__ import annotations

import contextvars
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from tablecall.runtime.cancellation import PLACES, CancelledJobs, is_unwanted, look_in


def test_a_job_is_wanted_until_it_is_given_up() -> None:
    unwanted = CancelledJobs()
    assert not any(job in unwanted for job in range(1, PLACES * 2))
    unwanted.add(7)
    assert [job for job in range(1, PLACES * 2) if job in unwanted] == [7]


def test_of_two_in_one_place_the_later_is_known() -> None:
    unwanted = CancelledJobs()
    unwanted.add(7)
    unwanted.add(7 + PLACES)
    assert [job for job in range(1, PLACES * 2) if job in unwanted] == [7 + PLACES]


def test_where_nobody_looks_everything_is_wanted() -> None:
    assert not is_unwanted(7)


def test_who_looks_here_learns_of_it() -> None:
    unwanted = CancelledJobs()
    unwanted.add(7)
    context = contextvars.copy_context()
    context.run(look_in, unwanted)
    assert [context.run(is_unwanted, job) for job in (7, 8)] == [True, False]


def test_another_process_learns_of_it_while_it_works() -> None:
    unwanted = CancelledJobs()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), look_in, (unwanted,)) as pool:
        assert not pool.submit(is_unwanted, 7).result()
        unwanted.add(7)
        assert pool.submit(is_unwanted, 7).result()
