// What including compare.cuh costs.
#include <sortile/compare.cuh>
