"""Threads of the linear algebra library under numpy. Call before numpy is imported, in every entry point and at every lazy import."""

import os
import sys


def single_thread() -> bool:
    """Ask for one BLAS thread; True when it came in time, False when numpy was loaded before.

    The one place outside settings.py that touches os.environ, because the libraries can be told in no other way before
    they load. OpenBLAS (every numpy wheel) with 2 threads on a busy 2-core machine made one embedding 4 to 25 times
    slower (measured), so it is set whatever it was; the two names that other libraries in a host process obey as well
    (torch, scikit-learn) are left alone when somebody chose a value.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("MKL_NUM_THREADS", "1")
    return "numpy" not in sys.modules
