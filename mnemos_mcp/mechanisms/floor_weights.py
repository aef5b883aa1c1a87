"""Direction of Inquiry in the space of the built-in embedder, written by benchmarks/fit_floor.py; not edited by hand."""
# fmt: off
IDENTITY = 'minilm-l6-v2.q8/384'
SCALE = 0.0138057  # of one step of DIRECTION
OFFSET = -0.1555
DIRECTION = (  # int8, base64
    "6/388jPV8u4QCVBOF90i4wAvrBMR5rod6CUL5RvAFAASEOIIDQUJxbj2DR/PDhMJlcoL9N4A9gY4B7kt1QH/BzoSERQDDtYDuxv+497qILEzDQ/0BSfZ8Cjf+8U+AlsB"
    "F9wpKu7p9x4fzv3Y/gEk/Pbs9Zr0yuvD8hPfzDFSTgD/2whUBRnzxz8MPA8MMB7oUkUM8d3h/wo+DeYMyd4HFgE38uwwA/nhCfjy+RDj+ve+JPlTbOvXAtyZ3igjywII"
    "COf03/wD1/reQS31+icAvj/e/eww9/K6DvQM9ftMVADzDLrx6QO6yeXkAwIG5APv87fmKjCh7NwI89LH+NzxAx7ZDsT7HN/1HWTU5f7TywHZ3AfSTt3tJNT/Dzz99+ns"
    "Ct/YGCcBJPTR8y7z6sQKLTUX+OsGA+fwEJjYDMV/zwDgxBPnJVAR0ivm3+YN7j8k1Nm86hAbJEsbLRMu3DsOJBM1HEwWHxsb7BkUCi/B0QTn2enq5U01AyAx8RnWH/0+"
)
# fmt: on
